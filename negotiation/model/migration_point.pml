/* The agreement on a migration point (include/cppc/migration_point.hpp) for spin: ranks, their nodes' pages and agents,
 * and the board, one negotiation. tests/negotiation/CMakeLists.txt has the jobs that are checked; each proves, for all
 * interleavings: nobody passes M, all stop at M or all go on, and nobody waits for ever; nor does anybody go round in
 * circles, where that is checked.
 *
 *   here                           in the code
 *   Rank, RANK_MOVE                RankSide::reached(), rank_move()
 *   Agent, AGENT_MOVE              AgentSide::poll(), agent_move()
 *   GATHER, PASS_ON                detail::gather(), detail::pass_on()
 *   WORD(phase, maximum)           Word, without epoch
 *   RAISED, FIXED, ASKED, …        next(): what each event makes of a word
 *   swap_page, swap_board, mark    AgentSide::apply()
 *   look                           AgentSide::look()
 *
 * Left out: epochs (tests/negotiation/explorer_test.cpp has them, with the functions of the code themselves), the limit
 * of the count, and time. Patience may end at any time (GIVE_UP), or once a rank has died (DIES). A look that shows
 * nothing new is no step: so a wait for what never comes is a deadlock and not a cycle.
 *
 * Parameters:
 *   RANKS NODES NODE0 … NODE3      how many, and the node of each rank
 *   LAST                           safe point after which ranks enter MPI_Finalize
 *   MESSAGES                       what a rank needs between safe point k and the next: 0 nothing; 1 (exchange) a
 *                                  message that the next rank sends after it has passed k; 2 (pipeline) one that the
 *                                  rank before sends before it arrives at k+1
 *   STEP                           by which agents lift
 *   LATE                           ranks may overlook the bell until they join
 *   GIVE_UP                        any agent may want to cancel, at any time
 *   DIES                           one rank may die, at any time
 *   FINE                           what is read and what is done with it are two steps, see MAY_BE_INTERRUPTED
 *   FLAW                           a known error, which the check must find
 *   NEVER_DECIDED NEVER_CANCELLED  claims that must prove wrong: both ends can be reached
 */

#ifndef STEP
#define STEP 1
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
#define DECIDE_EARLY 1      /* the leader does not wait for the reports */
#define LIFT_FIRST 2        /* the ceiling is lifted before the board is raised */
#define PASS_AT_CEILING 3   /* ranks do not ask */
#define WAIT_FOR_DECISION 4 /* agents do not answer before there is a decision */
#define FIX_EARLY 5         /* agents do not wait until all their ranks have joined */
#define LEAVE_EARLY 6       /* the leader does not wait for the acknowledgements */
#define PASS_UNRAISED 7     /* a rank that has joined passes without raising the maximum again */

/* Phase */
#define idle 0
#define open 1
#define fixed 2
#define asked 3
#define decided 4
#define cancelled 5

#define WORD(phase, maximum) ((phase) * 16 + (maximum))
#define PHASE(word) ((word) / 16)
#define MAXIMUM(word) ((word) % 16)
#define HIGHER(a, b) ((a) > (b) -> (a) : (b))

/* next() */
#define OPENED WORD(open, 0)
#define RAISED(word, value) WORD(open, HIGHER(MAXIMUM(word), value))
#define FIXED(word) WORD(fixed, MAXIMUM(word))
#define ASKED(word) WORD(asked, MAXIMUM(word))
#define LIFTED(value) WORD(fixed, value)
#define DECIDED(value) WORD(decided, value)
#define CANCELLED(reason) WORD(cancelled, reason)

/* What others cannot tell apart from one step is one, unless FINE: arriving and looking; reading a word and swapping
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

byte board;           /* in the leader's memory */
byte mark[3];         /* each agent's: 1 reported, 2 acknowledged */
bool left;            /* the leader has: nobody can reach the board */
byte ended;           /* agents that are done */
byte page[3];
bool bell[3];
bool joined[4];
byte point[4];        /* last safe point that the rank has arrived at */
byte passed[4];       /* … and passed */
bool stopped[4];
bool finished[4];
byte dead = NOBODY;
bool over;            /* nothing more will happen */

#define ALL_MARKED(value) (mark[0] >= (value) && (NODES < 2 || mark[1] >= (value)) && (NODES < 3 || mark[2] >= (value)))
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

#define NOT_PAST(rank) (PHASE(board) != decided || passed[rank] < MAXIMUM(board))

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
  :: PHASE(word) == fixed || PHASE(word) == asked || PHASE(word) == decided ->
     if
     :: !joined[me] -> move = refuse
     :: joined[me] && point[me] < MAXIMUM(word) -> move = go_on
     :: joined[me] && point[me] > MAXIMUM(word) -> move = refuse
     :: joined[me] && point[me] == MAXIMUM(word) ->
        if
        :: PHASE(word) == decided -> move = stop
        :: PHASE(word) == asked -> move = wait
        :: PHASE(word) == fixed -> to = ASKED(word); move = (FLAW == PASS_AT_CEILING -> go_on : swap)
        fi
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
    :: !bell[node] || (LATE && !joined[me]) -> goto pass
    :: bell[node] -> word = page[node]
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
       assert(PHASE(board) == decided && point[me] == MAXIMUM(board));
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
#define swap_board 2
#define report 3
#define acknowledge 4
#define look 5
#define done 6

inline PASS_ON() {
  if
  :: PHASE(seen_page) != decided && PHASE(seen_page) != cancelled ->
     assert(PHASE(seen) != decided || MAXIMUM(seen) >= MAXIMUM(seen_page)); /* else next() would not allow it */
     to = seen;
     move = swap_page
  :: PHASE(seen_page) == decided || PHASE(seen_page) == cancelled ->
     move = (!acknowledged -> acknowledge : (me == 0 && !all_acknowledged && FLAW != LEAVE_EARLY -> look : done))
  fi
}

inline GATHER() {
  if
  :: tired -> to = CANCELLED(me + 1); move = swap_board
  :: !tired && PHASE(seen_page) == open -> to = FIXED(seen_page); move = (all_joined -> swap_page : look)
  :: !tired && PHASE(seen_page) != open ->
     if
     :: MAXIMUM(seen) < MAXIMUM(seen_page) && FLAW != LIFT_FIRST ->
        to = RAISED(seen, MAXIMUM(seen_page)); move = swap_board
     :: MAXIMUM(seen) >= MAXIMUM(seen_page) || FLAW == LIFT_FIRST ->
        if
        :: !reported -> move = report
        :: reported && me == 0 && (all_reported || FLAW == DECIDE_EARLY) ->
           to = DECIDED(MAXIMUM(seen)); move = swap_board
        :: reported && !(me == 0 && (all_reported || FLAW == DECIDE_EARLY)) ->
           if
           :: PHASE(seen_page) != asked || FLAW == WAIT_FOR_DECISION -> move = look
           :: PHASE(seen_page) == asked && FLAW == LIFT_FIRST ->
              to = LIFTED(MAXIMUM(seen_page) + STEP); move = swap_page
           :: PHASE(seen_page) == asked && FLAW != LIFT_FIRST && FLAW != WAIT_FOR_DECISION ->
              if
              :: MAXIMUM(seen) > MAXIMUM(seen_page) -> to = LIFTED(MAXIMUM(seen)); move = swap_page
              :: MAXIMUM(seen) == MAXIMUM(seen_page) ->
                 to = RAISED(seen, MAXIMUM(seen_page) + STEP); move = swap_board
              fi
           fi
        fi
     fi
  fi
}

inline AGENT_MOVE() {
  if
  :: PHASE(seen) == idle -> to = OPENED; move = (me == 0 || tired -> swap_board : look)
  :: PHASE(seen) == decided || PHASE(seen) == cancelled -> PASS_ON()
  :: PHASE(seen) == open -> GATHER()
  fi
}

#define HERE_JOINED (ALL_JOINED(me) || FLAW == FIX_EARLY)
#define MAY_TIRE (!tired && (GIVE_UP || dead != NOBODY))
#define REACHABLE (me == 0 || !left)
#define NEWS_IN_PAGE (page[me] != seen_page || HERE_JOINED != all_joined || (ANY_FINISHED(me) && !tired))
#define NEWS_OF_MARKS (me == 0 && (ALL_MARKED(1) != all_reported || ALL_MARKED(2) != all_acknowledged))

proctype Agent(byte me) {
  byte seen; /* of the board */
  byte seen_page;
  byte to;
  byte move;
  bool all_joined;
  bool reported;
  bool all_reported;
  bool acknowledged;
  bool all_acknowledged;
  bool tired; /* wants to give up */

  atomic { page[me] = OPENED; bell[me] = true }; /* nobody reads the page before the bell rings */
  do
  :: MAY_TIRE -> tired = true
  :: atomic {
       d_step { seen_page = page[me]; all_joined = HERE_JOINED; tired = tired || ANY_FINISHED(me) }
       MAY_BE_INTERRUPTED
       d_step { AGENT_MOVE() };
       if
       :: move == swap_page ->
          page[me] = (page[me] == seen_page -> to : page[me]);
          bell[me] = bell[me] && PHASE(page[me]) != cancelled
       :: move == swap_board && REACHABLE ->
          board = (board == seen -> to : board);
          seen = board;
          assert(NOT_PAST(0) && NOT_PAST(1) && NOT_PAST(2) && NOT_PAST(3))
       :: move == report && REACHABLE -> mark[me] = 1; reported = true
       :: move == acknowledge && REACHABLE -> mark[me] = 2; acknowledged = true
       :: move == look -> /* board and marks at once: a board that is read earlier makes the leader's swap fail */
          if
          :: (REACHABLE && board != seen) || NEWS_IN_PAGE || NEWS_OF_MARKS ->
             seen = (REACHABLE -> board : seen);
             all_reported = me == 0 && ALL_MARKED(1);
             all_acknowledged = me == 0 && ALL_MARKED(2)
          :: MAY_TIRE -> tired = true
          fi
       :: move == done ->
          assert(page[me] == board);
          left = left || me == 0;
          ended++;
          goto gone
       fi;
       d_step { seen_page = 0; to = 0; move = 0; all_joined = false }
     }
  od;
gone:
  atomic { seen = 0; seen_page = 0; to = 0; move = 0; all_joined = false };
end:
  false
}

/* At the end all ranks have stopped at M, or all have gone on; but a dead one, and those who lack its messages. */
#define STARVED(rank) (dead != NOBODY && !stopped[rank] && passed[rank] == point[rank] && !HAS_MESSAGES(rank))
#define WELL(rank) \
  ((rank) >= RANKS || dead == (rank) || STARVED(rank) || \
   (stopped[rank] && PHASE(board) == decided && point[rank] == MAXIMUM(board)) || \
   (finished[rank] && (PHASE(board) == cancelled || MAXIMUM(board) > LAST)))

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
    assert(PHASE(board) != cancelled);
#endif
    over = true
  }
}
