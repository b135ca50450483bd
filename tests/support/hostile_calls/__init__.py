# SPDX-License-Identifier: MIT
"""A program that makes random calls over all public names, to find what breaks the interpreter.

    PYTHONPATH=tests python -m support.hostile_calls --table core --seed 7 --seconds 60 --log log

It calls constructors, functions, methods, operators and properties with arguments that are right,
nearly right, or lies: objects of other kinds, of the other table, closed ones, ones that were never
initialised, huge numbers, callables that raise or that make further calls. Any ordinary exception
is a good answer. What is wrong ends the process with another status than 0: a crash, an exception
that stands for a bug of our own, a call that does not end, or objects left alive.

The same seed makes the same calls, with one thread. The log has the last call of each thread. The
calls write files as well: the working directory is a temporary one.
"""
