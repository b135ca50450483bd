# SPDX-License-Identifier: MIT
"""The benchmark: this package and its core, beside the real library and other allocators.

==============  ================================================================
`subjects`      what is measured: the core, other tables, plain allocators
`rows`          the figures, one per row, and the goals
`tasks`         how one figure of one subject is sampled, in C and from Python
`measure`       the order: subjects take turns, minima are kept
`report`        table, JSON, plot
`cli`           the arguments of ``python -m ortcffi bench``
==============  ================================================================
"""
