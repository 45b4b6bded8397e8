;;; sgl-mode.el --- Major mode for SGL grammars  -*- lexical-binding: t; -*-
;; Written by editors/make.py.

;;; Code:

(defvar sgl-mode-syntax-table
  (let ((table (make-syntax-table)))
    (modify-syntax-entry ?# "<" table)
    (modify-syntax-entry ?\n ">" table)
    (modify-syntax-entry ?_ "w" table)
    table))

(defvar sgl-mode-keywords
  `((,(concat "^" (regexp-opt '("module" "use" "param" "limit" "layer" "view" "column" "feature" "category" "labels" "words" "structure" "word" "literal" "lexicon" "forms" "rule" "paradigm" "function" "pattern" "part" "quota" "relation" "table" "restrict" "weights" "dataset" "release" "test") 'words))
     . font-lock-keyword-face)
    ("-\\[\\([^]\n]*\\)\\]" 1 font-lock-constant-face)
    ("[.=|] ?\\(\\sw+\\)" 1 'default)
    (,(regexp-opt '("after" "allow" "ambiguous" "and" "apart" "as" "assert" "at" "be" "before" "capital" "contexts" "contrast" "copy" "depth" "distinct" "drop" "each" "example" "exclude" "expose" "exposures" "first" "for" "forbid" "forget" "from" "gen" "if" "in" "input" "instances" "is" "keep" "last" "lemmas" "length" "like" "longest" "may" "mod" "most" "names" "need" "never" "node" "not" "of" "on" "only" "or" "output" "outside" "per" "reject" "repeat" "repeated" "seen" "shared" "size" "target" "targets" "to" "train" "unseen" "variant" "waive" "when" "where" "with" "within" "without") 'words)
     . font-lock-builtin-face)
    ("[@$]\\sw+" . font-lock-variable-name-face)
    ("\\<[A-Z]\\sw*" . font-lock-type-face)))

;;;###autoload
(define-derived-mode sgl-mode prog-mode "SGL"
  "Major mode for SGL grammars."
  (setq-local comment-start "# ")
  (setq-local comment-start-skip "#+ *")
  (setq-local indent-tabs-mode nil)
  (setq-local compile-command (concat "sglc check --format concise " (or buffer-file-name "")))
  (setq font-lock-defaults '(sgl-mode-keywords nil nil)))

;;;###autoload
(add-to-list 'auto-mode-alist '("\\.sgl\\'" . sgl-mode))

(with-eval-after-load 'eglot
  (add-to-list 'eglot-server-programs '(sgl-mode . ("sglc" "lsp"))))

(provide 'sgl-mode)
;;; sgl-mode.el ends here
