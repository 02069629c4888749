/// The functions of MPI that agents call, by what tests have them fail in.
#pragma once

#include <string>
#include <vector>

namespace cppc::test {

/// agent_comm.cpp
inline const std::vector<std::string> kMessages{"PMPI_Isend", "PMPI_Test", "PMPI_Iprobe", "PMPI_Get_count",
                                                "PMPI_Irecv"};

/// Of those below, whose failure costs nothing: what is not given back is lost.
inline const std::vector<std::string> kHarmless{"PMPI_Group_free"};

/// job_comms.cpp: how all meet when the job starts, and in a commit, with replacements and without those that are gone.
inline const std::vector<std::string> kCount{"PMPI_Comm_set_errhandler", "PMPI_Comm_size", "PMPI_Comm_rank",
                                             "PMPI_Allreduce"};
inline const std::vector<std::string> kGather{"PMPI_Comm_split_type",     "PMPI_Comm_size", "PMPI_Allgather",
                                              "PMPI_Comm_free",           "PMPI_Comm_rank", "PMPI_Comm_dup",
                                              "PMPI_Comm_set_errhandler", "PMPI_Comm_split"};
inline const std::vector<std::string> kJoin{"PMPI_Intercomm_create", "PMPI_Intercomm_merge", "PMPI_Comm_split",
                                            "PMPI_Comm_free", "PMPI_Comm_set_errhandler"};
inline const std::vector<std::string> kLeave{"PMPI_Comm_size",         "PMPI_Comm_group",          "PMPI_Group_incl",
                                             "PMPI_Comm_create_group", "PMPI_Comm_set_errhandler", "PMPI_Comm_split",
                                             "PMPI_Comm_free",         "PMPI_Group_free"};

}  // namespace cppc::test
