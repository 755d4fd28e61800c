# What every target has in common, inside the project and in projects of plugin authors.

# Warnings and the language standard of one target. Warnings of other people's headers stay silent (SYSTEM includes).
function(assay_target_defaults target standard)
  if(CMAKE_CXX_COMPILER)
    target_compile_features(${target} PRIVATE cxx_std_${standard})
  endif()
  if(CMAKE_C_COMPILER)
    target_compile_features(${target} PRIVATE c_std_11)
  endif()
  set_target_properties(${target} PROPERTIES CXX_EXTENSIONS OFF C_EXTENSIONS OFF)
  target_compile_options(${target} PRIVATE -Wall -Wextra -Wpedantic -Wconversion -Wshadow
                                           # GCC 12 warns in C++20 about the library's own "text" + std::string (GCC bug 105651).
                                           $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>
                                           $<$<BOOL:${ASSAY_WARNINGS_AS_ERRORS}>:-Werror>)
endfunction()
