# Turns scenes/*.yaml into a C file with their texts: cmake -DOUT=file.c -DSCENES="a.yaml;b.yaml" -P embed.cmake
set(body "")
set(rows "")
set(index 0)
foreach(file ${SCENES})
  get_filename_component(name ${file} NAME_WE)
  file(READ ${file} text)
  string(REGEX MATCH "title: *([^\n]*)" ignored "${text}")
  set(title "${CMAKE_MATCH_1}")
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "(................................)" "\\1\n" hex "${hex}")
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1, " hex "${hex}")
  string(APPEND body "static const char text${index}[] = {\n${hex}0};\n")
  string(APPEND rows "    {\"${name}\", \"${title}\", text${index}},\n")
  math(EXPR index "${index} + 1")
endforeach()
file(WRITE ${OUT} "/* The built-in scenes, made from scenes/. */\n#include <rheo/scene.h>\n#include <stddef.h>\n\n${body}
static const rheo_builtin_scene scenes[] = {\n${rows}    {NULL, NULL, NULL},\n};
const rheo_builtin_scene *rheo_list_scenes(void) {\n    return scenes;\n}\n")
