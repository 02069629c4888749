#include "report_html.hpp"

#include <charconv>
#include <fstream>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace cppc {
namespace {

using Json = nlohmann::json;

std::string escaped(std::string_view text) {
  std::string safe;
  for (const char c : text) switch (c) {
      case '&':
        safe += "&amp;";
        break;
      case '<':
        safe += "&lt;";
        break;
      case '>':
        safe += "&gt;";
        break;
      case '"':
        safe += "&quot;";
        break;
      default:
        safe += c;
    }
  return safe;
}

std::string text(const Json& of, const char* key) { return of.at(key).get<std::string>(); }

struct Place {
  std::string file;
  unsigned line = 0;  ///< 0: not known
};

/// Of "file:line:column".
Place place_of(const std::string& where) {
  const std::size_t column = where.rfind(':');
  const std::size_t line =
      column == std::string::npos || column == 0 ? std::string::npos : where.rfind(':', column - 1);
  if (line == std::string::npos) return {};
  Place place{where.substr(0, line)};
  std::from_chars(where.data() + line + 1, where.data() + column, place.line);
  return place;
}

/// What is said of one line: HTML.
using Notes = std::map<unsigned, std::vector<std::string>>;

class Page {
 public:
  explicit Page(const Json& report) : report_(report) {
    for (const Json& point : report_.at("safe_points")) add_point(point);
    for (const Json& loop : report_.at("rejected"))
      note(text(loop, "where"), "rejected", "No safe point: " + escaped(text(loop, "why")));
    for (const Json& refusal : report_.at("refusals"))
      note(text(refusal, "where"), "refused", escaped(text(refusal, "what")) + ": " + escaped(text(refusal, "advice")));
    for (const Json& routine : report_.at("routines"))
      for (const Json& at : routine.at("places"))
        note(text(at, "where"), "saved",
             escaped(text(routine, "function")) + "() saves of its own" + saved_list(at.at("saved")));
  }

  void print(std::ostream& out) const;

 private:
  void note(const std::string& where, const char* kind, const std::string& html) {
    const Place place = place_of(where);
    notes_[place.file][place.line].push_back(std::string("<div class=\"") + kind + "\">" + html + "</div>");
  }

  void add_point(const Json& point);
  std::string saved_list(const Json& saved);
  void print_file(const std::string& file, const Notes& notes, std::ostream& out) const;

  const Json& report_;
  std::map<std::string, Notes> notes_;  // by file
};

/// As a list; each object is noted where it is declared, too.
std::string Page::saved_list(const Json& saved) {
  std::string list;
  for (const Json& object : saved) {
    const std::string what = "<code>" + escaped(text(object, "name")) + "</code>";
    list += "<li>" + what + ", " + escaped(object.value("type", "heap")) + ", " + escaped(text(object, "size")) + ": " +
            escaped(text(object, "live")) + "</li>";
    note(text(object, "declared"), "saved", "Live: " + what + ", " + escaped(text(object, "live")));
  }
  return list.empty() ? ": nothing" : ":<ul>" + list + "</ul>";
}

void Page::add_point(const Json& point) {
  const std::string number = std::to_string(point.at("number").get<int>());
  std::string list;
  for (const Json& one : point.value("dead", Json::array()))
    list += "<li><code>" + escaped(text(one, "what")) + "</code>, " + escaped(text(one, "size")) + ": " +
            escaped(text(one, "why")) + "</li>";
  std::string html = "<strong id=\"point" + number + "\">Safe point " + number + "</strong> in " +
                     escaped(text(point, "function")) + "(): " + escaped(text(point, "why")) + "<br>Live" +
                     saved_list(point.at("saved"));
  if (!list.empty()) html += "Left out of the image:<ul>" + list + "</ul>";
  if (point.contains("untold")) html += "Nothing is called dead: " + escaped(text(point, "untold"));
  note(text(point, "where"), "point", html);
}

void Page::print_file(const std::string& file, const Notes& notes, std::ostream& out) const {
  out << "<h2>" << (file.empty() ? "Unknown place" : escaped(file)) << "</h2>\n<table>\n";
  std::ifstream in(file);
  std::string source;
  std::set<unsigned> left;
  for (const auto& [line, ignored] : notes) left.insert(line);
  const auto print_line = [&](unsigned number) {
    out << "<tr" << (left.erase(number) != 0 ? " class=\"noted\"" : "") << "><td class=\"number\">" << number
        << "</td><td><pre>" << escaped(source) << "</pre></td><td>";
    if (const auto found = notes.find(number); found != notes.end())
      for (const std::string& one : found->second) out << one;
    out << "</td></tr>\n";
  };
  for (unsigned number = 1; std::getline(in, source); ++number) print_line(number);
  source = "(this line cannot be read)";
  while (!left.empty()) print_line(*left.begin());
  out << "</table>\n";
}

void Page::print(std::ostream& out) const {
  out << R"(<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>cppc: safe points and live state</title>
<style>
body { font: 15px sans-serif; margin: 1.5em; }
table { border-collapse: collapse; width: 100%; }
td { vertical-align: top; padding: 0 .6em; }
td.number { color: #666; text-align: right; }
pre { margin: 0; font-size: 13px; }
ul { margin: 0 0 0 1.2em; padding: 0; }
tr.noted { background: #f4f4ea; }
div { font-size: 13px; border-left: 4px solid; padding: .1em .5em; margin: .1em 0; }
.point { border-color: #18794e; } .saved { border-color: #0b5cad; }
.rejected { border-color: #8a6d00; } .refused { border-color: #b42318; }
</style>
</head>
<body>
<h1>Safe points and live state</h1>
<ul>
)";
  for (const Json& point : report_.at("safe_points"))
    out << "<li><a href=\"#point" << point.at("number").get<int>() << "\">Safe point " << point.at("number").get<int>()
        << "</a> in " << escaped(text(point, "function")) << "(), " << escaped(text(point, "where")) << "</li>\n";
  if (report_.at("safe_points").empty()) out << "<li>No marked safe point.</li>\n";
  for (const Json& file : report_.value("left_out", Json::array()))
    out << "<li>" << escaped(file.get<std::string>()) << "</li>\n";
  out << "</ul>\n";
  for (const auto& [file, notes] : notes_) print_file(file, notes, out);
  out << "</body>\n</html>\n";
}

}  // namespace

void print_html(const Json& report, std::ostream& out) { Page(report).print(out); }

}  // namespace cppc
