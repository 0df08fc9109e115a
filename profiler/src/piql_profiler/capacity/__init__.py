"""How much load a store takes before an SLO breaks, and what breaks first; pure: no store, no files, no Ray.

uncertain      an input that is known as low, mid, high, and answers at 5, 50 and 95 %
demand         from a profile to the time that an operator keeps a node busy
waiting        from utilisation to waiting times
load           queries at their rates on a cluster: shares of a node, and p99 at any utilisation
mix            queries at their rates in 200 draws of what is uncertain, on any number of nodes
limits         the largest growth that keeps every SLO, what breaks first, and the fewest nodes
success        users from 10³ to 10⁹: data, requests, nodes and p99, and a plan without a bound beside it
report         what is asked and the whole answer, for the command and the server; `refusals` are the reasons of none
stripes        how many stripes a view needs for so many writes a second, and what reads then cost
sweep          from a load sweep to demands; only the benchmark of simulated clusters has one until runs keep it

The model and what it leaves out: decision 0043.
"""
