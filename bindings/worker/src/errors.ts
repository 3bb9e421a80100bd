/*
 * What went wrong, for the one who called a tool: a code and a sentence.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
export class ToolError extends Error {
    constructor(readonly code: string, message: string) {
        super(message);
    }
}
