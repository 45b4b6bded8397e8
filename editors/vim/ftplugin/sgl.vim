" Vim settings for SGL grammars.
if exists("b:did_ftplugin")
  finish
endif
let b:did_ftplugin = 1

setlocal commentstring=#\ %s comments=:# shiftwidth=2 softtabstop=2 expandtab
setlocal iskeyword+=_
setlocal formatprg=sglc\ fmt\ -
" :make shows the messages in the quickfix list.
setlocal makeprg=sglc\ check\ --format\ concise\ %
setlocal errorformat=%f:%l:%c:\ %trror[%*[^]]]:\ %m,%f:%l:%c:\ %tarning[%*[^]]]:\ %m,%f:\ %trror[%*[^]]]:\ %m

let b:undo_ftplugin = "setlocal commentstring< comments< shiftwidth< softtabstop< expandtab<"
      \ . " iskeyword< formatprg< makeprg< errorformat<"
