/* Questions about a draft, for tests that look for a place to change. */
#ifndef SL_TEST_DRAFT_QUERY_H
#define SL_TEST_DRAFT_QUERY_H
#include "dice.h"
#include "draft.h"

/* True when stated edges and lanes put `from` before `to`; a cancelled node passes nothing on. */
bool draft_reaches(const struct draft *draft, unsigned from, unsigned to);
/* ... or they and data flow, as far as rows tell it: perhaps more than there is. */
bool draft_reaches_by_flow(const struct draft *draft, unsigned from, unsigned to);

/* Through aliases too; `root` is no alias. */
bool draft_reads(const struct draft *draft, unsigned node, unsigned root);
bool draft_writes(const struct draft *draft, unsigned node, unsigned root);
bool draft_moves(const struct draft *draft, unsigned node, unsigned root);
void draft_drop_object(const struct draft *draft, struct draft_list *list, unsigned root);

/* The node is the fallback of another one. */
bool draft_stands_by(const struct draft *draft, unsigned node);
/* It runs in every trial. */
bool draft_is_certain(const struct draft *draft, unsigned node);
/* Nodes of a kind that name the object. */
unsigned draft_count(const struct draft *draft, enum sl_node_kind kind, unsigned object);
/* Where a reclamation gives back. */
unsigned draft_source(const struct draft_node *node);
/* Data flow puts nothing behind the node: it writes nothing, and nobody writes or moves what it
 * reads later. */
bool draft_is_quiet(const struct draft *draft, unsigned node);

/* The node that makes the object, if it is one and no move; SL_NONE. */
unsigned draft_only_writer(const struct draft *draft, unsigned object);
/* A computation that reads the object for certain, from row `after` on; SL_NONE. */
unsigned draft_certain_reader(const struct draft *draft, unsigned object, unsigned after);
/* The object is what one node makes for a certain reader, and not there from the start. */
bool draft_has_one_source(const struct draft *draft, unsigned object);

/* A random row for which `fits` holds; SL_NONE: there is none. */
typedef bool draft_fits(const struct draft *draft, unsigned index);
unsigned draft_pick_node(struct dice *dice, const struct draft *draft, draft_fits *fits);
unsigned draft_pick_object(struct dice *dice, const struct draft *draft, draft_fits *fits);
unsigned draft_pick_edge(struct dice *dice, const struct draft *draft, draft_fits *fits);
#endif
