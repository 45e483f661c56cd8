# Turns a table of numbers into the rows of a C array: cmake -DOUT=file.inc -DTABLE=file.csv -P embed.cmake
file(STRINGS ${TABLE} lines REGEX "^[0-9]") # no comments, no heading
set(rows "")
foreach(line ${lines})
  string(APPEND rows "{${line}},\n")
endforeach()
file(WRITE ${OUT} "${rows}")
