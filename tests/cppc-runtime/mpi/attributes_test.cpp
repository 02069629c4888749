/// Attributes that the program caches on communicators, windows and datatypes: what MPI says of them holds under an
/// extension, too.
#include <gtest/gtest.h>
#include <mpi.h>

#include <string>
#include <utility>
#include <vector>

#include "communicator_set.hpp"
#include "handles.hpp"
#include "test_world.hpp"

#pragma GCC diagnostic ignored "-Wdeprecated-declarations"  // MPI_Attr_put and its like

namespace cppc::test {

const int moved_rank = -1;

namespace {

int extra = 0;
int failure = MPI_SUCCESS;
std::vector<std::pair<int, void*>> deleted;

int copy_next(MPI_Comm, int, void* given, void* value, void* copy, int* copied) {
  EXPECT_EQ(given, &extra);
  *static_cast<void**>(copy) = static_cast<char*>(value) + 1;
  *copied = 1;
  return failure;
}

int remember(MPI_Comm, int key, void* value, void* given) {
  EXPECT_EQ(given, &extra);
  if (failure != MPI_SUCCESS) return failure;
  deleted.emplace_back(key, value);
  return MPI_SUCCESS;
}

int new_key() {
  int key = MPI_KEYVAL_INVALID;
  MPI_Comm_create_keyval(copy_next, remember, &key, &extra);
  return key;
}

void* number(std::size_t value) { return reinterpret_cast<void*>(value); }

/// Null, when nothing is cached.
void* get(MPI_Comm comm, int key) {
  void* value = nullptr;
  int found = 0;
  MPI_Comm_get_attr(comm, key, static_cast<void*>(&value), &found);
  return found != 0 ? value : nullptr;
}

class Attributes : public testing::Test {
 protected:
  Attributes() {
    deleted.clear();
    failure = MPI_SUCCESS;
    MPI_Comm_dup(MPI_COMM_WORLD, &comm_);
    MPI_Comm_set_errhandler(comm_, MPI_ERRORS_RETURN);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_RETURN);
  }
  ~Attributes() override {
    failure = MPI_SUCCESS;
    if (comm_ != MPI_COMM_NULL) MPI_Comm_free(&comm_);
    MPI_Comm_set_errhandler(MPI_COMM_WORLD, MPI_ERRORS_ARE_FATAL);
  }
  MPI_Comm comm_ = MPI_COMM_NULL;
};

TEST_F(Attributes, AreSetReplacedAndDeleted) {
  int key = new_key();
  EXPECT_EQ(get(comm_, key), nullptr);
  MPI_Comm_set_attr(comm_, key, number(5));
  EXPECT_EQ(get(comm_, key), number(5));
  EXPECT_EQ(get(MPI_COMM_WORLD, key), nullptr);
  MPI_Comm_set_attr(comm_, key, &extra);
  EXPECT_EQ(get(comm_, key), &extra);
  MPI_Comm_delete_attr(comm_, key);
  EXPECT_EQ(get(comm_, key), nullptr);
  EXPECT_EQ(deleted, (std::vector<std::pair<int, void*>>{{key, number(5)}, {key, &extra}}));
  MPI_Comm_free_keyval(&key);
  EXPECT_EQ(key, MPI_KEYVAL_INVALID);
}

TEST_F(Attributes, AreCopiedWhenACommunicatorIsDuplicated) {
  int by_function = new_key(), by_value, not_at_all;
  MPI_Comm_create_keyval(MPI_COMM_DUP_FN, MPI_COMM_NULL_DELETE_FN, &by_value, nullptr);
  MPI_Comm_create_keyval(MPI_COMM_NULL_COPY_FN, MPI_COMM_NULL_DELETE_FN, &not_at_all, nullptr);
  for (const int key : {by_function, by_value, not_at_all}) MPI_Comm_set_attr(comm_, key, number(40));
  MPI_Comm copy, split;
  MPI_Comm_dup(comm_, &copy);
  MPI_Comm_split(comm_, 0, 0, &split);
  EXPECT_EQ(get(copy, by_function), number(41));
  EXPECT_EQ(get(copy, by_value), number(40));
  EXPECT_EQ(get(copy, not_at_all), nullptr);
  EXPECT_EQ(get(split, by_value), nullptr);
  MPI_Comm_free(&copy);
  EXPECT_EQ(deleted, (std::vector<std::pair<int, void*>>{{by_function, number(41)}}));
  MPI_Comm_free(&split);
  for (int* key : {&by_function, &by_value, &not_at_all}) MPI_Comm_free_keyval(key);
}

TEST_F(Attributes, OutliveTheirKeyAndGoWithTheCommunicatorLatestFirst) {
  const int first = new_key(), second = new_key();
  MPI_Comm_set_attr(comm_, first, number(1));
  MPI_Comm_set_attr(comm_, second, number(2));
  for (int key : {first, second}) MPI_Comm_free_keyval(&key);
  EXPECT_EQ(get(comm_, first), number(1));
  EXPECT_EQ(MPI_Comm_set_attr(comm_, first, number(3)), MPI_ERR_KEYVAL);
  MPI_Comm_free(&comm_);
  EXPECT_EQ(deleted, (std::vector<std::pair<int, void*>>{{second, number(2)}, {first, number(1)}}));
}

TEST_F(Attributes, KeepAKeyThatIsFreedTwice) {
  const int key = new_key();
  MPI_Comm_set_attr(comm_, key, number(1));
  for (int copy : {key, key}) EXPECT_EQ(MPI_Comm_free_keyval(&copy), MPI_SUCCESS);
  EXPECT_EQ(get(comm_, key), number(1));
  EXPECT_EQ(MPI_Comm_delete_attr(comm_, key), MPI_SUCCESS);
  int copy = key;
  EXPECT_EQ(MPI_Comm_free_keyval(&copy), MPI_ERR_KEYVAL) << "nothing uses it any more";
}

TEST_F(Attributes, StopWhatTheirFunctionsRefuse) {
  int key = new_key();
  MPI_Comm_set_attr(comm_, key, number(1));
  failure = MPI_ERR_OTHER;
  MPI_Comm copy = MPI_COMM_NULL;
  EXPECT_EQ(MPI_Comm_dup(comm_, &copy), MPI_ERR_OTHER);
  EXPECT_EQ(MPI_Comm_free(&comm_), MPI_ERR_OTHER);
  EXPECT_EQ(size_of(comm_), size_of(MPI_COMM_WORLD)) << "it is still there";
  failure = MPI_SUCCESS;
  MPI_Comm_free_keyval(&key);
}

TEST_F(Attributes, StayWhenTheWorldChanges) {
  int key = new_key();
  MPI_Comm_set_attr(comm_, key, &extra);
  MPI_Comm_set_attr(MPI_COMM_WORLD, key, number(9));
  ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
  EXPECT_TRUE(deleted.empty());
  EXPECT_EQ(get(comm_, key), &extra);
  EXPECT_EQ(get(MPI_COMM_WORLD, key), number(9));
  MPI_Comm_delete_attr(MPI_COMM_WORLD, key);
  MPI_Comm_free_keyval(&key);
}

TEST_F(Attributes, OfMpi1AreTheSame) {
  int key = MPI_KEYVAL_INVALID, found = 0;
  void* value = nullptr;
  MPI_Keyval_create(MPI_DUP_FN, MPI_NULL_DELETE_FN, &key, nullptr);
  MPI_Attr_put(comm_, key, number(3));
  MPI_Attr_get(comm_, key, static_cast<void*>(&value), &found);
  EXPECT_EQ(value, number(3));
  MPI_Attr_delete(comm_, key);
  EXPECT_EQ(get(comm_, key), nullptr);
  MPI_Keyval_free(&key);
}

TEST_F(Attributes, ManyKeysOneAfterTheOtherAreOneNumber) {
  const int first = new_key();
  int again = first;
  MPI_Comm_free_keyval(&again);
  for (int i = 0; i < 1000; ++i) {
    int key = new_key();
    ASSERT_EQ(key, first);
    MPI_Comm_set_attr(comm_, key, &extra);
    MPI_Comm_delete_attr(comm_, key);
    MPI_Comm_free_keyval(&key);
  }
}

/// What the others have besides the functions of communicators.
std::vector<void*> deleted_values;
int remember_of_window(MPI_Win, int, void* value, void*) {
  deleted_values.push_back(value);
  return failure;
}
int remember_of_type(MPI_Datatype, int, void* value, void*) {
  deleted_values.push_back(value);
  return failure;
}
int copy_next_of_type(MPI_Datatype, int, void*, void* value, void* copy, int* copied) {
  *static_cast<void**>(copy) = static_cast<char*>(value) + 1;
  *copied = 1;
  return failure;
}

void* get(MPI_Win win, int key) {
  void* value = nullptr;
  int found = 0;
  MPI_Win_get_attr(win, key, static_cast<void*>(&value), &found);
  return found != 0 ? value : nullptr;
}

void* get(MPI_Datatype type, int key) {
  void* value = nullptr;
  int found = 0;
  MPI_Type_get_attr(type, key, static_cast<void*>(&value), &found);
  return found != 0 ? value : nullptr;
}

TEST_F(Attributes, OfWindowsStayWhenTheWorldChangesAndGoWithTheirWindow) {
  deleted_values.clear();
  int key = MPI_KEYVAL_INVALID;
  MPI_Win win;
  MPI_Win_create_keyval(MPI_WIN_DUP_FN, remember_of_window, &key, nullptr);
  MPI_Win_create(nullptr, 0, 1, MPI_INFO_NULL, MPI_COMM_WORLD, &win);
  MPI_Win_set_errhandler(win, MPI_ERRORS_RETURN);
  EXPECT_EQ(get(win, key), nullptr);
  MPI_Win_set_attr(win, key, number(1));
  MPI_Win_set_attr(win, key, &extra);
  ASSERT_EQ(mpi_state::rebuild(next_world()), CPPC_OK);
  EXPECT_EQ(get(win, key), &extra);
  failure = MPI_ERR_OTHER;
  EXPECT_EQ(MPI_Win_delete_attr(win, key), MPI_ERR_OTHER);
  EXPECT_EQ(MPI_Win_free(&win), MPI_ERR_OTHER);
  EXPECT_EQ(get(win, key), &extra) << "it is still there";
  failure = MPI_SUCCESS;
  deleted_values.clear();
  MPI_Win_free_keyval(&key);
  MPI_Win_free(&win);
  EXPECT_EQ(deleted_values, std::vector<void*>{&extra});
}

TEST_F(Attributes, OfDatatypesAreCopiedAndGoWithTheirDatatype) {
  deleted_values.clear();
  int key = MPI_KEYVAL_INVALID, not_copied = MPI_KEYVAL_INVALID;
  MPI_Type_create_keyval(copy_next_of_type, remember_of_type, &key, nullptr);
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &not_copied, nullptr);
  MPI_Datatype type, copy;
  MPI_Type_contiguous(2, MPI_INT, &type);
  MPI_Type_set_attr(type, key, number(40));
  MPI_Type_set_attr(type, not_copied, number(50));
  MPI_Type_dup(type, &copy);
  EXPECT_EQ(get(copy, key), number(41));
  EXPECT_EQ(get(copy, not_copied), nullptr);
  failure = MPI_ERR_OTHER;
  MPI_Datatype none = MPI_DATATYPE_NULL;
  EXPECT_EQ(MPI_Type_dup(type, &none), MPI_ERR_OTHER);
  EXPECT_EQ(MPI_Type_free(&type), MPI_ERR_OTHER);
  EXPECT_EQ(get(type, not_copied), nullptr) << "it went first";
  EXPECT_EQ(get(type, key), number(40));
  failure = MPI_SUCCESS;
  deleted_values.clear();
  for (MPI_Datatype* one : {&copy, &type}) MPI_Type_free(one);
  EXPECT_EQ(deleted_values, (std::vector<void*>{number(41), number(40)}));
  for (int* one : {&key, &not_copied}) MPI_Type_free_keyval(one);
}

TEST_F(Attributes, HaveKeysForOneKindOfObjects) {
  int comm_key = new_key(), type_key = MPI_KEYVAL_INVALID, same = comm_key;
  MPI_Type_create_keyval(MPI_TYPE_NULL_COPY_FN, MPI_TYPE_NULL_DELETE_FN, &type_key, nullptr);
  EXPECT_EQ(MPI_Type_set_attr(MPI_INT, comm_key, nullptr), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Comm_set_attr(comm_, type_key, nullptr), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Type_free_keyval(&same), MPI_ERR_KEYVAL);
  EXPECT_EQ(MPI_Comm_free_keyval(&comm_key), MPI_SUCCESS);
  EXPECT_EQ(MPI_Type_free_keyval(&type_key), MPI_SUCCESS);
}

}  // namespace

}  // namespace cppc::test
