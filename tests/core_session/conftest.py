# SPDX-License-Identifier: MIT
"""Sessions whose nodes providers and custom ops run, and the models that are made for them."""

from support.contexts import model, options_for  # noqa: F401  # fixtures
from support.sessions import leaves_no_session, opened  # noqa: F401  # fixtures
