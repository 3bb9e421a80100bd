/* The Worker that runs the suite: POST / with the case files as form data, the results come back as JSON. */
import * as guard from './package/workerd.js';
import { run } from './harness.mjs';
import { suite } from './suite.mjs';

export default {
    async fetch(request) {
        const files = {};
        for (const [name, file] of await request.formData())
            files[name] = new Uint8Array(await file.arrayBuffer());
        return Response.json(await run(suite(guard, files)));
    },
};
