/* The agreement on a migration point (include/cppc/migration_point.hpp) for spin: ranks, their nodes' pages and agents,
 * and the tree of agents, one negotiation. tests/negotiation/CMakeLists.txt has the jobs that are checked; each proves,
 * for all interleavings: nobody passes M, all stop at M or all go on, and nobody waits for ever; nor does anybody go
 * round in circles, where that is checked.
 *
 *   here                           in the code
 *   Rank, RANK_MOVE                RankSide::reached(), rank_move()
 *   Agent, AGENT_MOVE              AgentSide::poll(), agent_move()
 *   PASS_ON, FIX                   detail::pass_on(), detail::fix()
 *   WORD(phase, maximum)           Word, without epoch
 *   RAISED, FIXED, …               next(): what each event makes of a word
 *   ANSWER                         answer()
 *   swap_page, send_up, send_down           AgentSide::apply()
 *   RECEIVE                           AgentSide::receive(): of one neighbour, its last word; a word supersedes the one before
 *
 * Left out: epochs (tests/negotiation/explorer_test.cpp has them, with the functions of the code themselves), the limit
 * of the count, and time. The timeout may pass at any time (GIVE_UP), or once a rank has died (DIES). A look that shows
 * nothing new is no step: so a wait for what never comes is a deadlock and not a cycle.
 *
 * Parameters:
 *   RANKS NODES NODE0 … NODE3      how many, and the node of each rank
 *   LAST                           safe point after which ranks enter MPI_Finalize
 *   MESSAGES                       what a rank needs between safe point k and the next: 0 nothing; 1 (exchange) a
 *                                  message that the next rank sends after it has passed k; 2 (pipeline) one that the
 *                                  rank before sends before it arrives at k+1
 *   CHAIN                          each agent is the parent of the next; otherwise the first is that of all others
 *   LATE                           ranks may overlook the doorbell until they join
 *   GIVE_UP                        any agent may want to cancel, at any time
 *   DIES                           one rank may die, at any time
 *   FINE                           what is read and what is done with it are two steps, see MAY_BE_INTERRUPTED
 *   FLAW                           a known error, which the check must find
 *   NEVER_DECIDED NEVER_CANCELLED  claims that must prove wrong: both ends can be reached
 */

#ifndef CHAIN
#define CHAIN 0
#endif
#ifndef LATE
#define LATE 0
#endif
#ifndef GIVE_UP
#define GIVE_UP 0
#endif
#ifndef DIES
#define DIES 0
#endif
#ifndef FLAW
#define FLAW 0
#endif
#ifndef NODE2
#define NODE2 NOWHERE
#endif
#ifndef NODE3
#define NODE3 NOWHERE
#endif
#define NOWHERE 9
#define NOBODY 9

/* FLAW */
#define DECIDE_EARLY 1    /* the root does not wait until all pages are fixed */
#define FIX_WHEN_JOINED 2 /* an agent fixes its page when its own ranks have joined */
#define PASS_AT_CEILING 3 /* ranks do not wait */
#define CLOSE_EARLY 4     /* agents do not wait for those below until they send_up that all have joined */
#define JOIN_EARLY 5      /* … nor for their own ranks */
#define LEAVE_EARLY 6     /* agents do not wait until all below know the outcome */
#define PASS_UNRAISED 7   /* a rank that has joined passes without raising the maximum again */
#define SEND_OWN 8         /* an agent says its own bound in place of its subtree's highest */

/* Phase */
#define idle 0
#define open 1
#define fixed 2
#define decided 3
#define cancelled 4
#define settled 5

#define WORD(phase, maximum) ((phase) * 16 + (maximum))
#define PHASE(word) ((word) / 16)
#define MAXIMUM(word) ((word) % 16)
#define HIGHER(a, b) ((a) > (b) -> (a) : (b))
#define IS_OUTCOME(word) (PHASE(word) == decided || PHASE(word) == cancelled)

/* next() */
#define OPENED WORD(open, 0)
#define RAISED(word, value) WORD(open, HIGHER(MAXIMUM(word), value))
#define FIXED(word) WORD(fixed, MAXIMUM(word))

#define ANSWER(word, before) \
  (PHASE(word) == open -> WORD(fixed, 0) : (PHASE(word) == fixed -> WORD(decided, MAXIMUM(word)) : \
  (PHASE(word) == cancelled -> word : before)))

/* What others cannot send_down apart from one step is one, unless FINE: arriving and looking; reading a word and swapping
 * it, which succeeds only while the word is what was read (and joined marks only rise); raising, joining and passing,
 * by which a rank only enables others to do something, now or later. */
#ifdef FINE
#define MAY_BE_INTERRUPTED }; atomic {
#define ARRIVE }; arrived: skip; atomic {
#elif MESSAGES == 2
#define MAY_BE_INTERRUPTED ;
#define ARRIVE }; arrived: atomic {
#else
#define MAY_BE_INTERRUPTED ;
#define ARRIVE ; arrived:
#endif

byte sent_up[3];         /* by each agent to its parent, last */
byte sent_down[3];         /* … to its children */
byte outcome;         /* the root's */
byte ended;           /* agents that are done */
byte page[3];
bool doorbell[3];
bool joined[4];
byte point[4];        /* last safe point that the rank has arrived at */
byte passed[4];       /* … and passed */
bool stopped[4];
bool finished[4];
byte dead = NOBODY;
bool over;            /* nothing more will happen */

#define PARENT(node) (CHAIN -> (node) - 1 : 0)
#define IS_CHILD(node, parent) ((node) < NODES && PARENT(node) == (parent))
#define EITHER(condition1, condition2) \
  ((!IS_CHILD(1, me) || (condition1)) && (!IS_CHILD(2, me) || (condition2)))
#define BELOW_JOINED EITHER(received1 != 0 && PHASE(received1) != cancelled, received2 != 0 && PHASE(received2) != cancelled)
#define BELOW_FIXED EITHER(PHASE(received1) == fixed, PHASE(received2) == fixed)
#define BELOW_SETTLED EITHER(PHASE(received1) == settled, PHASE(received2) == settled)
#define BELOW_MAXIMUM \
  HIGHER((PHASE(received1) == fixed -> MAXIMUM(received1) : 0), (PHASE(received2) == fixed -> MAXIMUM(received2) : 0))
#define BELOW_GIVES_UP (PHASE(received1) == cancelled || PHASE(received2) == cancelled)
#define BELOW_REASON (PHASE(received1) == cancelled -> MAXIMUM(received1) : MAXIMUM(received2))

#define JOINED(rank, where, node) ((where) != (node) || joined[rank])
#define ALL_JOINED(node) \
  (JOINED(0, NODE0, node) && JOINED(1, NODE1, node) && JOINED(2, NODE2, node) && JOINED(3, NODE3, node))
#define FINISHED(rank, where, node) ((where) == (node) && finished[rank])
#define ANY_FINISHED(node) \
  (FINISHED(0, NODE0, node) || FINISHED(1, NODE1, node) || FINISHED(2, NODE2, node) || FINISHED(3, NODE3, node))

#if MESSAGES == 1
#define HAS_MESSAGES(rank) (passed[((rank) + 1) % RANKS] >= point[rank])
#elif MESSAGES == 2
#define HAS_MESSAGES(rank) ((rank) == 0 || point[((rank) + 3) % 4] > point[rank])
#else
#define HAS_MESSAGES(rank) true
#endif

#define NOT_PAST(rank) (PHASE(outcome) != decided || passed[rank] < MAXIMUM(outcome))

/* RankMove */
#define go_on 0
#define stop 1
#define join 2
#define swap 3
#define wait 4
#define refuse 5

inline RANK_MOVE() {
  if
  :: PHASE(word) == idle || PHASE(word) == cancelled -> move = go_on
  :: PHASE(word) == open && FLAW == PASS_UNRAISED && joined[me] -> move = go_on
  :: PHASE(word) == open && !(FLAW == PASS_UNRAISED && joined[me]) ->
     to = RAISED(word, point[me] + 1);
     move = (to != word -> swap : (joined[me] -> go_on : join))
  :: PHASE(word) == fixed || PHASE(word) == decided ->
     if
     :: !joined[me] -> move = refuse
     :: joined[me] && point[me] < MAXIMUM(word) -> move = go_on
     :: joined[me] && point[me] > MAXIMUM(word) -> move = refuse
     :: joined[me] && point[me] == MAXIMUM(word) ->
        move = (PHASE(word) == decided -> stop : (FLAW == PASS_AT_CEILING -> go_on : wait))
     fi
  fi
}

#define DIE DIES && dead == NOBODY -> dead = me; goto gone

proctype Rank(byte me; byte node) {
  byte word;
  byte to;
  byte move;

computing:
  atomic {
    if
    :: HAS_MESSAGES(me) -> point[me]++
    :: DIE
    :: over -> goto gone
    fi
    ARRIVE
    if
    :: !doorbell[node] || (LATE && !joined[me]) -> goto pass
    :: doorbell[node] -> word = page[node]
    :: DIE
    fi
    MAY_BE_INTERRUPTED
    d_step { RANK_MOVE() };
    if
    :: move == go_on -> goto pass
    :: move == join -> joined[me] = true; goto pass
    :: move == swap ->
       d_step { page[node] = (page[node] == word -> to : page[node]); word = 0; to = 0; move = 0 };
       goto arrived
    :: move == wait ->
       if
       :: page[node] != word -> d_step { word = 0; move = 0 }; goto arrived
       :: DIE
       fi
    :: move == stop ->
       assert(PHASE(outcome) == decided && point[me] == MAXIMUM(outcome));
       stopped[me] = true;
       goto gone
    :: move == refuse -> assert(false)
    fi;
pass:
    passed[me]++;
    assert(NOT_PAST(me));
    d_step { word = 0; to = 0; move = 0 };
    if
    :: point[me] < LAST -> goto computing
    :: point[me] == LAST -> finished[me] = true
    fi;
gone:
    word = 0;
    to = 0;
    move = 0
  };
end:
  false
}

/* AgentMove */
#define swap_page 1
#define send_up 2
#define send_down 3
#define look 4
#define done 5

inline PASS_ON() {
  if
  :: !IS_OUTCOME(seen_page) -> to = above; move = swap_page
  :: IS_OUTCOME(seen_page) && sent_down[me] != above -> to = above; move = send_down
  :: IS_OUTCOME(seen_page) && sent_down[me] == above ->
     if
     :: !BELOW_SETTLED && FLAW != LEAVE_EARLY -> move = look
     :: (BELOW_SETTLED || FLAW == LEAVE_EARLY) && PHASE(sent_up[me]) != settled -> to = WORD(settled, 0); move = send_up
     :: (BELOW_SETTLED || FLAW == LEAVE_EARLY) && PHASE(sent_up[me]) == settled -> move = done
     fi
  fi
}

inline FIX() {
  if
  :: sent_down[me] != above -> to = above; move = send_down
  :: sent_down[me] == above && PHASE(seen_page) == open -> to = FIXED(seen_page); move = swap_page
  :: sent_down[me] == above && PHASE(seen_page) != open ->
     to = WORD(fixed, (FLAW == SEND_OWN -> MAXIMUM(seen_page) : HIGHER(MAXIMUM(seen_page), BELOW_MAXIMUM)));
     move = ((BELOW_FIXED || FLAW == DECIDE_EARLY) && PHASE(sent_up[me]) != fixed -> send_up : look)
  fi
}

inline AGENT_MOVE() {
  if
  :: IS_OUTCOME(above) -> PASS_ON()
  :: !IS_OUTCOME(above) && PHASE(sent_up[me]) == cancelled -> move = look
  :: !IS_OUTCOME(above) && PHASE(sent_up[me]) != cancelled ->
     if
     :: tired -> to = WORD(cancelled, me + 1); move = send_up
     :: !tired && BELOW_GIVES_UP -> to = WORD(cancelled, BELOW_REASON); move = send_up
     :: !tired && !BELOW_GIVES_UP && PHASE(above) == fixed -> FIX()
     :: !tired && !BELOW_GIVES_UP && PHASE(above) != fixed ->
        if
        :: FLAW == FIX_WHEN_JOINED && all_joined && PHASE(seen_page) == open -> to = FIXED(seen_page); move = swap_page
        :: !(FLAW == FIX_WHEN_JOINED && all_joined && PHASE(seen_page) == open) ->
           to = OPENED;
           move = (all_joined && (BELOW_JOINED || FLAW == CLOSE_EARLY) && sent_up[me] == 0 -> send_up : look)
        fi
     fi
  fi
}

#define HERE_JOINED (ALL_JOINED(me) || FLAW == JOIN_EARLY)
#define MAY_TIRE (!tired && (GIVE_UP || dead != NOBODY))
#define NEWS_IN_PAGE (page[me] != seen_page || HERE_JOINED != all_joined || (ANY_FINISHED(me) && !tired))
#define RECEIVE \
  :: me != 0 && !IS_OUTCOME(above) && sent_down[PARENT(me)] != above -> above = sent_down[PARENT(me)] \
  :: IS_CHILD(1, me) && sent_up[1] != received1 -> received1 = sent_up[1] \
  :: IS_CHILD(2, me) && sent_up[2] != received2 -> received2 = sent_up[2]
#define KNOWS(node) (!IS_CHILD(node, me) || page[node] == above)

proctype Agent(byte me) {
  byte seen_page;
  byte above;
  byte received1;
  byte received2;
  byte to;
  byte move;
  bool all_joined;
  bool tired; /* wants to give up */

  atomic { page[me] = OPENED; doorbell[me] = true }; /* nobody reads the page before the doorbell rings */
  do
  :: MAY_TIRE -> tired = true
  RECEIVE
  :: atomic {
       d_step { seen_page = page[me]; all_joined = HERE_JOINED; tired = tired || ANY_FINISHED(me) }
       MAY_BE_INTERRUPTED
       d_step { AGENT_MOVE() };
       if
       :: move == swap_page ->
          page[me] = (page[me] == seen_page -> to : page[me]);
          doorbell[me] = doorbell[me] && PHASE(page[me]) != cancelled
       :: move == send_up ->
          sent_up[me] = to;
          above = (me == 0 -> ANSWER(to, above) : above);
          outcome = (me == 0 && IS_OUTCOME(above) -> above : outcome);
          assert(NOT_PAST(0) && NOT_PAST(1) && NOT_PAST(2) && NOT_PAST(3))
       :: move == send_down -> sent_down[me] = to
       :: move == look ->
          if
          :: NEWS_IN_PAGE -> skip
          :: MAY_TIRE -> tired = true
          RECEIVE
          fi
       :: move == done ->
          assert(page[me] == outcome && KNOWS(1) && KNOWS(2));
          ended++;
          goto gone
       fi;
       d_step { seen_page = 0; to = 0; move = 0; all_joined = false }
     }
  od;
gone:
  atomic { seen_page = 0; above = 0; received1 = 0; received2 = 0; to = 0; move = 0; all_joined = false };
end:
  false
}

/* At the end all ranks have stopped at M, or all have gone on; but a dead one, and those who lack its messages. */
#define STARVED(rank) (dead != NOBODY && !stopped[rank] && passed[rank] == point[rank] && !HAS_MESSAGES(rank))
#define WELL(rank) \
  ((rank) >= RANKS || dead == (rank) || STARVED(rank) || \
   (stopped[rank] && PHASE(outcome) == decided && point[rank] == MAXIMUM(outcome)) || \
   (finished[rank] && (PHASE(outcome) == cancelled || MAXIMUM(outcome) > LAST)))

init {
  atomic {
    run Agent(0);
    if
    :: NODES > 1 -> run Agent(1)
    :: else
    fi;
    if
    :: NODES > 2 -> run Agent(2)
    :: else
    fi;
    run Rank(0, NODE0);
    if
    :: RANKS > 1 -> run Rank(1, NODE1)
    :: else
    fi;
    if
    :: RANKS > 2 -> run Rank(2, NODE2)
    :: else
    fi;
    if
    :: RANKS > 3 -> run Rank(3, NODE3)
    :: else
    fi
  };
  timeout ->
  atomic {
    assert(ended == NODES && WELL(0) && WELL(1) && WELL(2) && WELL(3));
#ifdef NEVER_DECIDED
    assert(!(stopped[0] && stopped[1]));
#endif
#ifdef NEVER_CANCELLED
    assert(PHASE(outcome) != cancelled);
#endif
    over = true
  }
}
