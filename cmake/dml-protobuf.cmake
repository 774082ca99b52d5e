# Classes of protobuf messages, which protoc makes during the build. Their headers are in DML_MESSAGES_DIR: for
# targets only: ns-3 exports the include folders of a directory, and CMake refuses to export one in a build.

set(DML_MESSAGES_DIR ${CMAKE_CURRENT_BINARY_DIR}/messages)
get_filename_component(DML_PROTO_ROOT ${CMAKE_CURRENT_LIST_DIR} DIRECTORY)
file(MAKE_DIRECTORY ${DML_MESSAGES_DIR})

# dml_make_messages(SOURCES FILE...): SOURCES gets what a target has to compile for the .proto files, paths
# relative to the repository. It is called in the CMakeLists.txt of that target.
function(dml_make_messages SOURCES)
    set(_sources)
    foreach(_file IN LISTS ARGN)
        get_filename_component(_folder ${DML_PROTO_ROOT}/${_file} DIRECTORY)
        get_filename_component(_name ${_file} NAME_WE)
        set(_source ${DML_MESSAGES_DIR}/${_name}.pb.cc)
        add_custom_command(
            OUTPUT ${_source} ${DML_MESSAGES_DIR}/${_name}.pb.h
            COMMAND ${DML_PROTOC} --proto_path=${_folder} --cpp_out=${DML_MESSAGES_DIR} ${DML_PROTO_ROOT}/${_file}
            DEPENDS ${DML_PROTO_ROOT}/${_file}
            COMMENT "Making classes of ${_file}"
            VERBATIM
        )
        # It is not ours: no warnings, ns-3's among them.
        set_source_files_properties(
            ${_source} PROPERTIES COMPILE_FLAGS -w SKIP_UNITY_BUILD_INCLUSION ON
        )
        list(APPEND _sources ${_source})
    endforeach()
    set(${SOURCES} ${_sources} PARENT_SCOPE)
endfunction()
