/* The agreement on a consistent cut (include/cppc/cut.hpp) for spin: ranks that carry out small programs, their nodes'
 * pages, and the rounds of the agents, one agreement. tests/negotiation/CMakeLists.txt has the jobs that are checked;
 * each proves, for all interleavings: the cut splits no collective operation, nobody goes on from it, all come to it or
 * all go on, and nobody waits for ever.
 *
 *   here                       in the code
 *   Rank, MOVE                 CutRank::reached(), rank_move()
 *   Agents                     CutAgent::poll() of all agents: they go from round to round together
 *   read, evaluate, publish       CutAgent::report(), Arbiter, CutAgent::publish(); TreeRounds brings the reports to the first
 *                              agent and its verdict to all: nobody begins a round before it has the last one's verdict
 *   WORD(phase, turn)          Word, without epoch
 *
 * Left out: communicators that are made and freed, calls that cannot be left, waiting for any source, and operations
 * that are withdrawn. tests/negotiation/cut_explorer_test.cpp has these, with the functions of the code themselves. A
 * round that shows nothing new is no step: so a wait for what never comes is a deadlock and not a cycle.
 *
 * Parameters:
 *   JOB                        what ranks do, see init
 *   RANKS NODES NODE0 … NODE3  how many, and the node of each rank
 *   GIVE_UP                    agents may cancel, at any time
 *   FLAW                       a known error, which the check must find
 *   NEVER_DECIDED NEVER_CANCELLED  claims that must prove wrong: both ends can be reached
 */

#ifndef GIVE_UP
#define GIVE_UP 0
#endif
#ifndef FLAW
#define FLAW 0
#endif
#ifndef NODE2
#define NODE2 0
#endif
#ifndef NODE3
#define NODE3 0
#endif

/* FLAW */
#define HOLD_ALL 1          /* ranks do not go on to their targets */
#define FORGET_WAITS 2      /* for whom a rank waits is not let go on */
#define DECIDE_ON_CLOSING 3 /* the decision does not wait until all have stopped */
#define KEEP_TURN 4         /* closing again, a stop of the time before counts */
#define NEVER_REOPEN 5      /* agents go on closing although a rank is behind */

#define COMMS 3 /* the world, and two others */
#define LENGTH 4
#define NOBODY 9

/* Phase */
#define idle 0
#define gathering 1
#define closing 2
#define decided 3
#define cancelled 4

#define WORD(phase, turn) ((phase) * 16 + (turn))
#define PHASE(word) ((word) / 16)
#define TURN(word) ((word) % 16)

/* Operations: of communicator c all wait for all, or this rank does not; a message to or from a rank; the end. */
#define all(c) (10 + (c))
#define early(c) (20 + (c))
#define to(rank) (30 + (rank))
#define from(rank) (40 + (rank))
#define finish 50
#define COLLECTIVE(op) ((op) < 30 || (op) == finish)
#define COMM(op) ((op) == finish -> 0 : (op) % 10)

byte program[16]; /* LENGTH each */
bool member[12];  /* COMMS each */
byte begun[12];
byte target[12];
byte sent[16]; /* by sender, then receiver */
byte waits[4] = NOBODY;
byte mark[4];
bool needed[4];
bool finishing[4];
bool still[4]; /* really: has stopped, and has not gone on */
bool done[4];
bool finished[4];
byte word[2];  /* of the nodes' pages */
bool over;     /* the decision has been made */
bool ended;    /* the agents have */

#define OF(rank, comm) ((rank) * COMMS + (comm))
#define SHORT(rank, comm) (begun[OF(rank, comm)] < target[OF(rank, comm)])
#define BEHIND(rank) (FLAW != HOLD_ALL && (SHORT(rank, 0) || SHORT(rank, 1) || SHORT(rank, 2)))
#define LACKS(rank, comm, count) (rank < RANKS && member[OF(rank, comm)] && begun[OF(rank, comm)] < (count))
#define ALL_BEGUN(comm, count) \
  (!LACKS(0, comm, count) && !LACKS(1, comm, count) && !LACKS(2, comm, count) && !LACKS(3, comm, count))

#define HELD (PHASE(word[node]) == gathering && COLLECTIVE(op) && !BEHIND(me) && !needed[me])
#define STOPS (PHASE(word[node]) == closing && !BEHIND(me))

#define COMPLETE \
  ((op >= from(0) && op < finish && sent[(op - from(0)) * 4 + me] > 0) || (op >= to(0) && op < from(0)) || \
   (op >= early(0) && op < to(0)) || ((op < early(0) || op == finish) && ALL_BEGUN(COMM(op), count)))
#define CAN_BE_LEFT (op >= from(0) && op < finish)

proctype Rank(byte me; byte node) {
  byte at;
  byte op;
  byte count;
  byte seen;
  bool inside;

next:
  op = (at < LENGTH -> program[me * LENGTH + at] : finish);
look:
  atomic {
    if
    :: !HELD && !STOPS -> skip
    :: STOPS -> seen = word[node]; goto stopping
    fi
  }
  atomic {
    if
    :: COLLECTIVE(op) ->
       assert(!over);
       begun[OF(me, COMM(op))]++;
       count = begun[OF(me, COMM(op))];
       finishing[me] = op == finish
    :: op >= to(0) && op < from(0) -> sent[me * 4 + op - to(0)]++
    :: CAN_BE_LEFT -> skip
    fi;
    inside = true
  }
wait:
  atomic {
    if
    :: COMPLETE ->
       if
       :: CAN_BE_LEFT -> sent[(op - from(0)) * 4 + me]--; waits[me] = NOBODY
       :: else
       fi;
       inside = false;
       count = 0;
       at++;
       if
       :: op == finish -> finished[me] = true; goto end
       :: else -> goto next
       fi
    :: CAN_BE_LEFT && !COMPLETE && STOPS -> seen = word[node]; goto stopping
    :: CAN_BE_LEFT && !COMPLETE && PHASE(word[node]) == gathering && waits[me] == NOBODY ->
       waits[me] = op - from(0);
       goto wait
    fi
  }
stopping:
  atomic { mark[me] = seen; still[me] = true; seen = 0 }
  atomic {
    word[node] != mark[me] ->
    if
    :: PHASE(word[node]) == decided && TURN(word[node]) == TURN(mark[me]) -> done[me] = true; goto end
    :: else ->
       still[me] = false;
       if
       :: inside -> goto wait
       :: else -> goto look
       fi
    fi
  }
end:
  false
}

#define STILL(rank) (rank >= RANKS || still[rank])
#define EVEN(a, b, comm) \
  (a >= RANKS || b >= RANKS || !member[OF(a, comm)] || !member[OF(b, comm)] || begun[OF(a, comm)] == begun[OF(b, comm)])
#define ALL_EVEN(comm) \
  (EVEN(0, 1, comm) && EVEN(0, 2, comm) && EVEN(0, 3, comm) && EVEN(1, 2, comm) && EVEN(1, 3, comm) && EVEN(2, 3, comm))
#define CONSISTENT \
  (STILL(0) && STILL(1) && STILL(2) && STILL(3) && ALL_EVEN(0) && ALL_EVEN(1) && ALL_EVEN(2))

/* What a round has shown of the ranks. */
byte had[12];
byte was_waiting[4] = NOBODY;
byte was_marked[4];
bool pressed[4];
byte judged = WORD(gathering, 1);
byte moving;

#define CHANGED(rank) \
  (rank < RANKS && (had[OF(rank, 0)] != begun[OF(rank, 0)] || had[OF(rank, 1)] != begun[OF(rank, 1)] || \
                    had[OF(rank, 2)] != begun[OF(rank, 2)] || was_waiting[rank] != waits[rank] || \
                    was_marked[rank] != mark[rank] || pressed[rank] != BEHIND(rank)))
#define NEWS (fresh || CHANGED(0) || CHANGED(1) || CHANGED(2) || CHANGED(3))
#define NODE_OF(rank) ((rank) == 0 -> NODE0 : ((rank) == 1 -> NODE1 : ((rank) == 2 -> NODE2 : NODE3)))

proctype Agents() {
  byte highest[COMMS];
  bool level;
  bool tired;
  bool fresh = true;
  bool wanted[4];
  byte r;
  byte c;
  byte i;

  word[0] = judged;
  word[1] = judged;
  do
  :: NEWS || (GIVE_UP && !tired) ->
     if
     :: GIVE_UP -> tired = true
     :: NEWS -> skip
     fi;
     moving = 0;
     r = 0;
     do /* read */
     :: r < RANKS ->
        atomic {
          was_marked[r] = mark[r];
          was_waiting[r] = waits[r];
          pressed[r] = BEHIND(r);
          tired = tired || finishing[r];
          moving = moving + (mark[r] != word[NODE_OF(r)]);
          had[OF(r, 0)] = begun[OF(r, 0)];
          had[OF(r, 1)] = begun[OF(r, 1)];
          had[OF(r, 2)] = begun[OF(r, 2)];
          r++
        }
     :: else -> break
     od;
     skip;
     d_step { /* evaluate */
       level = true;
       fresh = false;
       for (c : 0 .. COMMS - 1) {
         highest[c] = 0;
         for (r : 0 .. RANKS - 1) {
           highest[c] = (had[OF(r, c)] > highest[c] -> had[OF(r, c)] : highest[c])
         }
         for (r : 0 .. RANKS - 1) { level = level && (!member[OF(r, c)] || had[OF(r, c)] == highest[c]) }
       }
       for (r : 0 .. RANKS - 1) { wanted[r] = false }
       for (i : 0 .. RANKS - 1) {
         for (r : 0 .. RANKS - 1) {
           if
           :: was_waiting[r] != NOBODY && (pressed[r] || wanted[r]) -> wanted[was_waiting[r]] = FLAW != FORGET_WAITS
           :: else
           fi
         }
       }
       c = judged;
       if
       :: tired -> judged = WORD(cancelled, 0)
       :: !tired && PHASE(judged) == gathering && level -> judged = WORD(closing, (TURN(judged) + 1) % 16)
       :: !tired && PHASE(judged) == closing && !level && FLAW != NEVER_REOPEN ->
          judged = WORD(gathering, (TURN(judged) + 1) % 16)
       :: !tired && PHASE(judged) == closing && level && (moving == 0 || FLAW == DECIDE_ON_CLOSING) ->
          judged = WORD(decided, TURN(judged));
          over = true;
          assert(CONSISTENT)
       :: else
       fi;
       judged = (FLAW == KEEP_TURN && judged != c && PHASE(judged) < decided -> WORD(PHASE(judged), 1) : judged);
       fresh = judged != c;
       for (r : 0 .. RANKS - 1) { wanted[r] = wanted[r] && PHASE(judged) == gathering }
       r = 0
     }
     do /* publish */
     :: r < RANKS ->
        atomic {
          for (c : 0 .. COMMS - 1) {
            fresh = fresh || (member[OF(r, c)] && target[OF(r, c)] != highest[c]);
            target[OF(r, c)] = (member[OF(r, c)] -> highest[c] : 0)
          }
          fresh = fresh || needed[r] != wanted[r];
          needed[r] = wanted[r];
          r++
        }
     :: else -> break
     od;
     word[0] = judged;
     word[1] = judged;
     if
     :: PHASE(judged) == decided || PHASE(judged) == cancelled -> ended = true; goto end
     :: else
     fi;
     d_step { r = 0; c = 0; i = 0; level = false; moving = 0; highest[0] = 0; highest[1] = 0; highest[2] = 0 }
  od;
end:
  false
}

#define AT(rank, place) program[(rank) * LENGTH + place]
#define AT_END(rank) (rank >= RANKS || finished[rank])
#define AT_CUT(rank) (rank >= RANKS || done[rank])

init {
  atomic {
    byte i = 0;
    for (i : 0 .. 15) { program[i] = finish }
    for (i : 0 .. RANKS - 1) { member[OF(i, 0)] = true }
    if
    :: JOB == 1 -> /* the world alone; rank 0 runs ahead */
       AT(0, 0) = early(0); AT(0, 1) = early(0); AT(0, 2) = all(0);
       for (i : 1 .. RANKS - 1) { AT(i, 0) = all(0); AT(i, 1) = all(0); AT(i, 2) = all(0) }
    :: JOB == 2 -> /* rank 0 comes to its operation with rank 1 by way of one with rank 2 */
       member[OF(0, 1)] = true; member[OF(1, 1)] = true;
       member[OF(0, 2)] = true; member[OF(2, 2)] = true;
       AT(0, 0) = all(2); AT(0, 1) = all(1); AT(0, 2) = all(2);
       AT(1, 0) = early(1);
       AT(2, 0) = all(2); AT(2, 1) = early(2)
    :: JOB == 3 -> /* rank 1 needs rank 0's message to come to an operation that rank 2 has begun; first rank 0 has one
                    * with rank 3 */
       member[OF(0, 1)] = true; member[OF(3, 1)] = true;
       member[OF(1, 2)] = true; member[OF(2, 2)] = true;
       AT(0, 0) = early(1); AT(0, 1) = to(1);
       AT(1, 0) = from(0); AT(1, 1) = all(2);
       begun[OF(2, 2)] = 1;
       AT(3, 0) = early(1)
    :: JOB == 4 -> /* messages alone, in a ring */
       for (i : 0 .. RANKS - 1) {
         AT(i, 0) = to((i + 1) % RANKS);
         AT(i, 1) = from((i + RANKS - 1) % RANKS);
         AT(i, 2) = to((i + 1) % RANKS);
         AT(i, 3) = from((i + RANKS - 1) % RANKS)
       }
    fi;
    i = 0;
    run Agents();
    run Rank(0, NODE0);
    run Rank(1, NODE1);
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
    assert(ended);
    assert((AT_END(0) && AT_END(1) && AT_END(2) && AT_END(3)) || (AT_CUT(0) && AT_CUT(1) && AT_CUT(2) && AT_CUT(3)));
#ifdef NEVER_DECIDED
    assert(!over);
#endif
#ifdef NEVER_CANCELLED
    assert(over);
#endif
  };
end:
  false
}
