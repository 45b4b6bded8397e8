" Vim syntax file of SGL.  Written by editors/make.py.
if exists("b:current_syntax")
  finish
endif

syntax case match
syntax match sglComment "#.*$"
syntax region sglString start=+"+ skip=+\\.+ end=+"+ oneline
syntax match sglVariable "[@$]\k\+"
syntax match sglNumber "\<\d\+\(\.\d\+\)\?\>"
syntax match sglCategory "\<[A-Z]\k*"
syntax match sglDegree "#\ze[~^*[:alpha:]_]" contained
syntax region sglTests matchgroup=sglBracket start="\[" end="\]"
  \ contains=sglString,sglVariable,sglNumber,sglDegree
syntax region sglEdge matchgroup=sglOperator start="-\[" end="\]\(+\|{[^}]*}\)\?->"
  \ contains=sglVariable
syntax match sglOperator "->\|=>\|>=\|<=\|!=\|\.\.\|[~=|+<>;]"
syntax match sglClause "\%([.=|] \?\)\@<!\<\%(after\|allow\|ambiguous\|and\|apart\|as\|assert\|at\|be\|before\|capital\|contexts\|contrast\|copy\|depth\|distinct\|drop\|each\|example\|exclude\|expose\|exposures\|first\|for\|forbid\|forget\|from\|gen\|if\|in\|input\|instances\|is\|keep\|last\|lemmas\|length\|like\|longest\|may\|mod\|most\|names\|need\|never\|node\|not\|of\|on\|only\|or\|output\|outside\|per\|reject\|repeat\|repeated\|seen\|shared\|size\|target\|targets\|to\|train\|unseen\|variant\|waive\|when\|where\|with\|within\|without\)\>"
syntax match sglName "\%(reject\>\)\@!\k\+" contained
syntax match sglDeclaration "^\(module\|use\|param\|limit\|layer\|view\|column\|feature\|category\|labels\|words\|structure\|word\|literal\|lexicon\|forms\|rule\|paradigm\|function\|pattern\|part\|quota\|relation\|table\|restrict\|weights\|dataset\|release\|test\)\>" nextgroup=sglName skipwhite

highlight default link sglComment Comment
highlight default link sglString String
highlight default link sglVariable Identifier
highlight default link sglNumber Number
highlight default link sglCategory Type
highlight default link sglDegree Operator
highlight default link sglEdge Constant
highlight default link sglOperator Operator
highlight default link sglBracket Delimiter
highlight default link sglClause Statement
highlight default link sglName Type
highlight default link sglDeclaration Keyword

let b:current_syntax = "sgl"
