#include "translation_inputs.hpp"

#include <utility>

namespace cppc::driver {

Result<std::string> Macros::of(const Record& record) {
  const std::vector<std::string> words = ask_for_macros(record);
  const auto known = known_.find(words);
  if (known != known_.end()) return known->second;
  const auto answer = runner_.capture({words, record.directory});
  if (!answer) return tl::unexpected(answer.error());
  if (answer->status != 0 || answer->text.find("#define ") == std::string::npos)
    return error(record.compiler.front() + " does not tell its macros (-dM -E), so that it is not known what " +
                 record.file + " is for it");
  return known_[words] = answer->text;
}

Result<std::vector<TranslationInput>> translation_inputs(const Sources& sources, Macros& macros) {
  std::vector<TranslationInput> inputs;
  for (const Record& record : sources.records) {
    const auto checked = sources.portable ? check_source(record) : Result<void>();
    if (!checked) return tl::unexpected(checked.error());
    const std::string change = change_of_source(record);
    const bool compiled_here = inputs.size() < sources.own;
    // Of others the names for the linker are enough.
    const bool is_read = is_fortran(record) == (sources.language == Language::fortran);
    const auto predefined = is_read ? macros.of(record) : Result<std::string>();
    if (!predefined && sources.portable) return tl::unexpected(predefined.error());
    TranslationInput input{.command = compilation_entry(record),
                           .object = compiled_here ? "" : object_of(record),
                           .compiled = compiled_here ? 0 : record.compiled,
                           .macros = predefined.value_or(""),
                           .left_out = !change.empty()        ? "the source " + change
                                       : !predefined          ? predefined.error().text
                                       : !is_readable(record) ? "its command is not in UTF-8"
                                                              : ""};
    if (!sources.own_headers.empty())
      input.command["arguments"].insert(input.command["arguments"].end(), {"-idirafter", sources.own_headers});
    inputs.push_back(std::move(input));
  }
  return inputs;
}

}  // namespace cppc::driver
