# SPDX-License-Identifier: MIT
"""Values: tensors, strings, sequences, maps, sparse tensors, and their types."""
