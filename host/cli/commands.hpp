// The commands of the executable: arguments after the command's name in, exit code out.
#pragma once

#include <string>
#include <vector>

namespace assay {

using Arguments = std::vector<std::string>;

int check_command(const Arguments& arguments);
int compare_command(const Arguments& arguments);
int merge_command(const Arguments& arguments);
int perturb_command(const Arguments& arguments);
int watch_command(const Arguments& arguments);
int plugins_command(const Arguments& arguments);
int validate_command(const Arguments& arguments);  ///< `assay plugins validate`
int report_command(const Arguments& arguments);
int explain_command(const Arguments& arguments);
int completion_command(const Arguments& arguments);
int man_command(const Arguments& arguments);

}  // namespace assay
