# SPDX-License-Identifier: MIT
"""The benchmark: status and allocation paths of the core, beside every peer on the machine.

==============  ================================================================
`subjects`      what is measured: the core, other tables, plain allocators
`rows`          what is asked of them, and the goals
`tasks`         how one figure of one subject is sampled, in C and from Python
`measure`       in which order: subjects take turns, minima are kept
`report`        table, JSON, plot
`cli`           the arguments of ``python -m ortcffi bench``
==============  ================================================================
"""
