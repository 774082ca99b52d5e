# Writes what git calls the commit of a checkout, as DML_COMMIT of a C++ header.
# usage: cmake -DDML_ROOT=<repository> -DDML_HEADER=<file> -P <this file>

execute_process(
    COMMAND git -C ${DML_ROOT} describe --tags --always
    OUTPUT_VARIABLE _commit
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET
)
if(NOT "${_commit}" MATCHES "^[A-Za-z0-9._/-]*$")
    set(_commit)
endif()
file(WRITE ${DML_HEADER} "#define DML_COMMIT \"${_commit}\"\n")
