# Turns the table of the front into a C file: cmake -DOUT=file.c -DTABLE=dam-break-front.csv -P embed.cmake
file(STRINGS ${TABLE} lines REGEX "^[0-9]") # no comments, no heading
list(LENGTH lines count)
list(TRANSFORM lines REPLACE "(.+)" "    {\\1},\n")
string(JOIN "" rows ${lines})
file(WRITE ${OUT} "/* Made from dam-break-front.csv. */\n#include \"front_data.h\"\n
const front_row front_data[] = {\n${rows}};\nconst int front_data_count = ${count};\n")
