# SPDX-License-Identifier: MIT
"""``ortcffi bench``: what this package takes for some calls, beside onnxruntime.

==============  ================================================================
`rows`          the calls that are measured, of each package
`turns`         how they are measured: in turns, in one process
`report`        the table, the notes, the JSON
`cli`           the arguments of the command
==============  ================================================================
"""
