# Run by cpack on what it is about to pack: man pages are compressed, and each package has a changelog.
string(TIMESTAMP date "%a, %d %b %Y %H:%M:%S +0000" UTC)
foreach(root ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/cppc-live ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/cppc-health
             ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/libcppc1 ${CPACK_TEMPORARY_INSTALL_DIRECTORY}/libcppc-dev)
  get_filename_component(package ${root} NAME)
  file(GLOB pages ${root}/usr/share/man/man*/*)
  set(changelog ${root}/usr/share/doc/${package}/changelog)
  file(WRITE ${changelog} "cppc-live (${CPACK_PACKAGE_VERSION}) bookworm; urgency=medium

  * CHANGELOG.md of the source tells what is new.

 -- ${CPACK_PACKAGE_CONTACT}  ${date}
")
  execute_process(COMMAND gzip -9nf ${pages} ${changelog} COMMAND_ERROR_IS_FATAL ANY)
endforeach()
