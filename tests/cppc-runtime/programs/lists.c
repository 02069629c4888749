/* Pointers of every kind: lists, rings, a tree, into the middle and to the end of arrays, to members, to the stack. */
#include <stdio.h>
#include <string.h>

#include "programs.h"

enum { NODES = 20, STEPS = 8 };

struct node {
  char name[6];
  int value;
  struct node *next, *previous;
};
static const cppc_field node_fields[] = {
    FIELD(node, name, cppc_type_char, 6),
    FIELD(node, value, cppc_type_int, 1),
    FIELD(node, next, cppc_type_pointer, 1),
    FIELD(node, previous, cppc_type_pointer, 1),
};
static const cppc_type node_type = STRUCTURE(node);

struct tree {
  int key, children;
  struct tree* child[];
};
static const cppc_field tree_fields[] = {
    FIELD(tree, key, cppc_type_int, 1),
    FIELD(tree, children, cppc_type_int, 1),
    FIELD(tree, child, cppc_type_pointer, 0),
};
static const cppc_type tree_type = STRUCTURE(tree);

/* Places in other objects. */
struct marks {
  int *cursor, *end;       /* in an array of integers */
  struct node** link;      /* the `next` of a node */
  char *letter, *name_end; /* in the name of a node */
  int* on_stack;
  void* anything;
  struct node* unused;
};
static const cppc_field marks_fields[] = {
    FIELD(marks, cursor, cppc_type_pointer, 1),   FIELD(marks, end, cppc_type_pointer, 1),
    FIELD(marks, link, cppc_type_pointer, 1),     FIELD(marks, letter, cppc_type_pointer, 1),
    FIELD(marks, name_end, cppc_type_pointer, 1), FIELD(marks, on_stack, cppc_type_pointer, 1),
    FIELD(marks, anything, cppc_type_pointer, 1), FIELD(marks, unused, cppc_type_pointer, 1),
};
static const cppc_type marks_type = STRUCTURE(marks);

struct lists_shadow {
  struct node* ring;
  struct tree* root;
  int* numbers;
  struct marks* marks;
  int step;
  void *by_number_at, *counter_at;
};
static const cppc_field lists_shadow_fields[] = {
    FIELD(lists_shadow, ring, cppc_type_pointer, 1),    FIELD(lists_shadow, root, cppc_type_pointer, 1),
    FIELD(lists_shadow, numbers, cppc_type_pointer, 1), FIELD(lists_shadow, marks, cppc_type_pointer, 1),
    FIELD(lists_shadow, step, cppc_type_int, 1),
};
static const cppc_type lists_shadow_type = STRUCTURE(lists_shadow);
static const cppc_variable lists_variables[] = {
    {"by_number", &cppc_type_pointer, 4, offsetof(struct lists_shadow, by_number_at), 0},
    {"counter", &cppc_type_int, 1, offsetof(struct lists_shadow, counter_at), 0},
};
static const cppc_place lists_places[] = {{&lists_shadow_type, lists_variables, 2}};
static const cppc_routine lists_routine = ROUTINE("run_lists", lists_places);

static struct node* make_ring(void) {
  struct node* ring = NULL;
  for (int i = 0; i < NODES; ++i) {
    struct node* node = cppc_malloc(&node_type, sizeof *node);
    snprintf(node->name, sizeof node->name, "n%d", i);
    node->value = i;
    node->next = ring != NULL ? ring : node;
    node->previous = ring != NULL ? ring->previous : node;
    node->previous->next = node->next->previous = node;
    ring = node;
  }
  return ring;
}

static struct tree* make_tree(int depth, int* key) {
  const int children = depth > 0 ? depth : 0;
  struct tree* tree = cppc_malloc(&tree_type, sizeof *tree + (size_t)children * sizeof tree->child[0]);
  tree->key = (*key)++;
  tree->children = children;
  for (int i = 0; i < children; ++i) tree->child[i] = make_tree(depth - 1, key);
  return tree;
}

static long tree_sum(const struct tree* tree) {
  long sum = tree->key;
  for (int i = 0; i < tree->children; ++i) sum += (i + 2) * tree_sum(tree->child[i]);
  return sum;
}

static void free_tree(struct tree* tree) {
  for (int i = 0; i < tree->children; ++i) free_tree(tree->child[i]);
  cppc_free(tree);
}

static void free_ring(struct node* ring) {
  struct node* node = ring;
  do {
    struct node* next = node->next;
    cppc_free(node);
    node = next;
  } while (node != ring);
}

/* Changes everything that pointers lead to. */
static void step_once(struct node* ring, struct marks* marks, struct node** by_number) {
  *marks->cursor += 7;
  ++marks->cursor;
  (*marks->link)->value += 100;
  *marks->letter = (char)(*marks->letter + 1);
  *marks->on_stack += 3;
  ((struct node*)marks->anything)->value *= 2;
  marks->anything = ((struct node*)marks->anything)->next;
  for (int i = 0; i < 4; ++i) by_number[i]->value += i;
  ring->previous->previous->value -= 5;
}

static void print_all(struct node* ring, const struct tree* root, const int* numbers, const struct marks* marks,
                      int counter) {
  const struct node* node = ring;
  do {
    printf("%s:%d ", node->name, node->value);
    node = node->next;
  } while (node != ring);
  for (const int* number = numbers; number != marks->end; ++number) printf("%d ", *number);
  printf("%ld %d %ld %d\n", tree_sum(root), counter, (long)(marks->name_end - marks->letter), marks->unused == NULL);
}

void run_lists(const char* variant) {
  (void)variant;
  struct node* by_number[4] = {0};
  int counter = 0;
  struct node* ring = NULL;
  struct tree* root = NULL;
  int* numbers = NULL;
  struct marks* marks = NULL;
  int step = 0;

  struct lists_shadow live = {0};
  cppc_frame frame;
  if (cppc_enter(&frame, &lists_routine, &live) == 1) goto resume_1;
  int key = 1;
  ring = make_ring();
  root = make_tree(4, &key);
  numbers = cppc_calloc(&cppc_type_int, 12, sizeof *numbers);
  marks = cppc_malloc(&marks_type, sizeof *marks);
  marks->cursor = &numbers[2];
  marks->end = &numbers[12];
  marks->link = &ring->next->next;
  marks->letter = &ring->next->name[1];
  marks->name_end = ring->next->name + sizeof ring->next->name; /* padding follows */
  marks->on_stack = &counter;
  marks->anything = ring;
  for (int i = 0; i < 4; ++i) by_number[i] = i > 0 ? by_number[i - 1]->next : ring->previous;
  for (; step < STEPS; ++step) {
    if (cppc_safe_point(1)) {
      live = (struct lists_shadow){ring, root, numbers, marks, step, NULL, NULL};
    resume_1:
      live.by_number_at = by_number, live.counter_at = &counter;
      cppc_stop(&frame, 1);
      ring = live.ring, root = live.root, numbers = live.numbers, marks = live.marks, step = live.step;
    }
    step_once(ring, marks, by_number);
  }
  print_all(ring, root, numbers, marks, counter);
  free_ring(ring);
  free_tree(root);
  cppc_free(numbers);
  cppc_free(marks);
  cppc_leave(&frame);
}
