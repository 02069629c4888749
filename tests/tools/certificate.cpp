#include "certificate.hpp"

#include <stdexcept>

#include "process.hpp"

namespace cppc::test {

Certificate make_certificate(const TemporaryDirectory& directory, const std::string& name, const std::string& names) {
  const Certificate made{directory.path() + "/" + name + ".pem", directory.path() + "/" + name + ".key"};
  const Finished finished = run({"openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1",
                                 "-nodes", "-days", "2", "-subj", "/CN=" + name, "-addext", "subjectAltName=" + names,
                                 "-keyout", made.key, "-out", made.certificate});
  if (finished.status != 0) throw std::runtime_error("openssl: " + finished.errors);
  return made;
}

}  // namespace cppc::test
