/* Answers records in workerd: POST /FIRST-NUMBER. */
import * as guard from './package/workerd.js';
import { answerAll } from './agree_answer.mjs';

export default {
    async fetch(request) {
        const first = Number(new URL(request.url).pathname.slice(1));
        return new Response(answerAll(guard, new Uint8Array(await request.arrayBuffer()), first));
    },
};
