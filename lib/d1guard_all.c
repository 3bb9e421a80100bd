/*
 * The whole library as one file. tests/amalgamate.py writes it out with the headers in it.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
#include "token.c"
#include "keyword.c"
#include "policy.c"
#include "plain.c"
#include "tokens.c"
#include "statement.c"
#include "verdict.c"
#include "rewrite.c"
#include "names.c"
