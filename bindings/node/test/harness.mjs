/* A test is [name, function]; it fails by throwing. Works wherever JavaScript does. */

export function equal(got, wanted, what = 'value') {
    const [g, w] = [got, wanted].map((value) => JSON.stringify(value));
    if (g !== w)
        throw new Error(`${what}: wanted ${w}, got ${g}`);
}

export function throws(action, type, part = '') {
    try {
        action();
    } catch (error) {
        if (!(error instanceof type) || !error.message.includes(part))
            throw new Error(`wanted a ${type.name} with "${part}", got ${error}`);
        return error;
    }
    throw new Error(`wanted a ${type.name}, nothing was thrown`);
}

/* [{ name, failure: undefined or text }] */
export async function run(tests) {
    const results = [];
    for (const [name, action] of tests) {
        try {
            await action();
            results.push({ name });
        } catch (error) {
            results.push({ name, failure: `${error.stack ?? error}` });
        }
    }
    return results;
}

/* Prints results as TAP and returns whether all passed; no results is a failure. */
export function report(results, prefix = '') {
    console.log(`1..${results.length}`);
    for (const [index, { name, failure }] of results.entries()) {
        if (failure !== undefined)
            console.log(failure.replace(/^/gm, '# '));
        console.log(`${failure === undefined ? 'ok' : 'not ok'} ${index + 1} - ${prefix}${name.replace(/#/g, '')}`);
    }
    return results.length > 0 && results.every(({ failure }) => failure === undefined);
}
