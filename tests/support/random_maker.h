/* A random graph in the making: the draft, the lives of its objects, and the order that its edges
 * and lanes state so far.  An edge always ends at the newest node. */
#ifndef SL_TEST_RANDOM_MAKER_H
#define SL_TEST_RANDOM_MAKER_H
#include "dice.h"
#include "draft.h"

enum life_stage { UNBORN, ROOM, VALID, AWAY, DROPPED, GONE };

struct life {
    enum life_stage stage;
    bool written_out; /* allocations, moves and reclamations are nodes of the scenario */
    bool frozen;      /* never updated: another copy of the value is out, or it is constant */
    bool hidden;      /* used by its own guarded pair only */
    bool unread;      /* moved back and not read since */
    bool owed;        /* moved out and not back yet */
    bool mapped;
    unsigned room;                /* allocation or mapping in front of the next writer, SL_NONE */
    unsigned alias;               /* another name of it, SL_NONE */
    unsigned version;             /* of the value */
    struct draft_list writers;    /* of the value at home; several when one of them runs */
    struct draft_list users;      /* of the copy at home, all that its reclamation must follow */
    bool away;                    /* there is a copy in PINNED */
    struct draft_list away_users; /* of that copy, its maker first */
    unsigned ended, ended_away;   /* the last reclamation of each, SL_NONE */
    unsigned maker;               /* what computed the value and could do it again, SL_NONE */
    unsigned maker_versions[DRAFT_LIST];
};

enum lane_mode { NO_LANES, ONE_LANE_EACH /* of a resource */, FREE_LANES };

struct maker {
    struct draft *draft;
    struct dice dice;
    enum lane_mode lanes;
    bool bounded; /* deadlines leave room for one node after the other */
    struct life lives[DRAFT_OBJECTS];
    bool before[DRAFT_NODES][DRAFT_NODES]; /* [b][a]: stated edges and lanes put a before b */
    bool cancellable[DRAFT_NODES];         /* has a fallback */
    int64_t start_ns[DRAFT_NODES];         /* earliest, at means */
    unsigned barrier, barrier_owes;        /* nodes that the last barrier must still precede */
    unsigned reclaimed;                    /* the last reclamation, SL_NONE */
    unsigned stager;                       /* a move whose staging a later node will end, SL_NONE */
};

unsigned maker_below(struct maker *maker, unsigned bound);
bool maker_chance(struct maker *maker, unsigned percent);

/* Adds a node called "WORD.NUMBER"; the last barrier may precede it. */
unsigned maker_emit(struct maker *maker, enum sl_node_kind kind, const char *word);
void maker_enter_lane(struct maker *maker, unsigned node);
/* Resources, class, duration, workspace and the like of a node that computes. */
void maker_give_work(struct maker *maker, unsigned node);

/* States an edge, sometimes with a lag. */
void maker_join(struct maker *maker, unsigned from, unsigned to, enum sl_edge_type type,
                unsigned object);
/* `to` must follow `from` (SL_NONE: nobody).  What stated edges imply need not be said, and what is
 * not `stated` planning adds. */
void maker_need(struct maker *maker, unsigned from, unsigned to, enum sl_edge_type type,
                unsigned object, bool stated);
void maker_need_all(struct maker *maker, const struct draft_list *list, unsigned to,
                    enum sl_edge_type type, unsigned object, bool stated);

bool maker_can_read(const struct maker *maker, unsigned object);
void maker_read(struct maker *maker, unsigned node, unsigned object);
/* Reads random objects until the node has up to `most` inputs. */
void maker_read_some(struct maker *maker, unsigned node, unsigned most);
/* The node makes a new value at home.  `besides` is another node that does so in its stead. */
void maker_write(struct maker *maker, unsigned node, unsigned object, unsigned besides);
/* The node could make the value again. */
void maker_note(struct maker *maker, unsigned node, unsigned object);

/* A random object for which `fits` holds, no alias; SL_NONE. */
unsigned maker_pick(struct maker *maker, bool (*fits)(const struct maker *maker, unsigned object));

/* Expected finish at means, and an upper bound for running all nodes one after the other. */
int64_t maker_end_ns(const struct maker *maker, unsigned node);
int64_t maker_total_ns(const struct maker *maker);
#endif
