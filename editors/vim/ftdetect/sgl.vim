autocmd BufRead,BufNewFile *.sgl setfiletype sgl
