# Compiles the files of a folder together, a dozen at a time: most of the time goes into headers that
# they share. So names in unnamed namespaces are unique in a folder. CMake leaves out sources with
# options of their own: give these to the target.

# dml_compile_together(TARGET SOURCE...): the sources of TARGET.
function(dml_compile_together TARGET)
    foreach(_source IN LISTS ARGN)
        file(STRINGS ${_source} _alone REGEX "^NS_LOG_COMPONENT_DEFINE" LIMIT_COUNT 1)
        if(_alone)
            # One log component in a file.
            continue()
        endif()
        get_filename_component(_folder ${_source} DIRECTORY)
        if(_source MATCHES "network/dml-(cubic-window|linux-sending)\\.cc$")
            # Bursts call these for every acknowledgement, and faster where they can be inlined.
            string(REPLACE network fairshare/bursts _folder ${_folder})
        endif()
        string(MAKE_C_IDENTIFIER "${_folder}" _folder)
        if(NOT DEFINED _files_${_folder})
            set(_files_${_folder} 0)
        endif()
        math(EXPR _group "${_files_${_folder}} / 12")
        math(EXPR _files_${_folder} "${_files_${_folder}} + 1")
        set_source_files_properties(${_source} PROPERTIES UNITY_GROUP ${_folder}_${_group})
    endforeach()
    set_target_properties(${TARGET} PROPERTIES UNITY_BUILD ON UNITY_BUILD_MODE GROUP)
endfunction()
