#!/usr/bin/perl
# One TCP transfer, for cluster_test.
#   tcp.pl receive PORT           takes one connection, reads it to its end, answers and prints the number of bytes
#   tcp.pl send HOST PORT BYTES   connects (tries for a minute), sends, prints the seconds until the answer and the answer
#   tcp.pl hold PORT              takes one connection, prints "connected" and leaves it open
#   tcp.pl idle HOST PORT         connects (tries for a minute) and leaves it open
use strict;
use warnings;
use IO::Socket::INET;
use Time::HiRes qw(sleep time);

sub accepted {
  my ($port) = @_;
  my $listener = IO::Socket::INET->new(LocalPort => $port, Listen => 1, ReuseAddr => 1) or die "port $port: $@\n";
  return $listener->accept;
}

sub connected {
  my ($host, $port) = @_;
  my $deadline = time + 60;
  while (time < $deadline) {
    my $socket = IO::Socket::INET->new(PeerAddr => $host, PeerPort => $port);
    return $socket if $socket;
    sleep 0.05;
  }
  die "cannot connect to $host:$port: $@\n";
}

my %actions = (
  receive => sub {
    my $socket = accepted(@_);
    my ($buffer, $bytes) = ('', 0);
    while (my $count = sysread $socket, $buffer, 1 << 20) { $bytes += $count; }
    print "$bytes\n";
    print $socket "$bytes\n";
  },
  send => sub {
    my ($host, $port, $bytes) = @_;
    my $socket = connected($host, $port);
    my $start = time;
    print $socket 'x' x $bytes;
    $socket->shutdown(1);
    my $answer = <$socket> // die "$host did not answer\n";
    printf "%.6f %s", time - $start, $answer;
  },
  hold => sub {
    my $socket = accepted(@_);
    $| = 1;
    print "connected\n";
    sleep;
  },
  idle => sub {
    my $socket = connected(@_);
    sleep;
  },
);
my $action = $actions{ shift @ARGV // '' } or die "usage: see the head of $0\n";
$action->(@ARGV);
