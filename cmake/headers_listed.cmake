# Compares the list in headers.cmake with the headers on disk:
#   cmake -P cmake/headers_listed.cmake             fails where they differ
#   cmake -DUPDATE=ON -P cmake/headers_listed.cmake writes the list anew
cmake_minimum_required(VERSION 3.24)

set(list_file "${CMAKE_CURRENT_LIST_DIR}/headers.cmake")
cmake_path(SET include_dir NORMALIZE "${CMAKE_CURRENT_LIST_DIR}/../include")

# A build may not look for its sources on disk, a check of the list must.
file(GLOB_RECURSE on_disk RELATIVE "${include_dir}" "${include_dir}/*")
list(SORT on_disk)

if(UPDATE)
    list(TRANSFORM on_disk REPLACE "(.+)" "    include/\\1")
    list(JOIN on_disk "\n" lines)
    file(WRITE "${list_file}"
         "# Every header, sorted. cmake/headers_listed.cmake checks this list and can write it.\n"
         "set(DEVMEM_HEADERS\n${lines})\n")
    return()
endif()

include("${list_file}")
list(TRANSFORM DEVMEM_HEADERS REPLACE "^include/" "" OUTPUT_VARIABLE listed)
set(unlisted ${on_disk})
list(REMOVE_ITEM unlisted ${listed})
set(absent ${listed})
list(REMOVE_ITEM absent ${on_disk})
foreach(header IN LISTS unlisted)
    message(SEND_ERROR "include/${header} exists but is not listed in cmake/headers.cmake")
endforeach()
foreach(header IN LISTS absent)
    message(SEND_ERROR "include/${header} is listed in cmake/headers.cmake but does not exist")
endforeach()
if(unlisted OR absent)
    message(FATAL_ERROR "mend the list: cmake -DUPDATE=ON -P cmake/headers_listed.cmake")
endif()
