/*
 * The approval page in headless Chromium: opened, photographed and pressed.
 *
 * The photographs are left in meson's build folder, bindings/worker/*.png.
 *
 * SPDX-License-Identifier: Apache-2.0
 */
import assert from 'node:assert/strict';
import { mkdirSync } from 'node:fs';
import http from 'node:http';
import { after, before, test } from 'node:test';
import { chromium } from 'playwright-core';
import { BUILD, startTeam } from './team.mjs';

const PHOTOGRAPHS = `${BUILD}/bindings/worker`;
const EXECUTABLE = process.env.CHROMIUM ?? '/usr/bin/chromium';

let team, browser;
before(async () => {
    team = await startTeam({ people: ['Ada Byron', 'Grace Murray', 'Konrad Zuse'], ids: ['db-1', 'db-2'] });
    browser = await chromium.launch({ executablePath: EXECUTABLE, args: ['--no-sandbox'] });
    mkdirSync(PHOTOGRAPHS, { recursive: true });
});
after(async () => {
    await browser?.close();
    await team.close();
});

async function open(options = {}) {
    const context = await browser.newContext({ viewport: { width: 900, height: 760 }, ...options });
    const page = await context.newPage();
    const complaints = [];
    page.on('console', (message) => message.type() === 'error' && complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    return { page, complaints, context };
}

test('a person opens the link, reads, presses, and the next call runs', async () => {
    const ada = team.as('Ada Byron');
    const { page, complaints } = await open();
    await page.goto(await ada.link());
    await page.screenshot({ path: `${PHOTOGRAPHS}/ask.png` });
    assert.equal(await page.title(), 'Let Ada Byron read the team’s databases?');
    const text = await page.innerText('main');
    for (const part of ['Ada Byron', 'shop, other1', 'test <script>', 'cannot change anything', new URL(team.url).host])
        assert.ok(text.includes(part), part);
    const button = page.getByRole('button');
    assert.equal(await button.count(), 1);
    assert.notEqual(await button.evaluate((element) => getComputedStyle(element).backgroundColor), 'rgba(0, 0, 0, 0)',
        'the styles apply under the policy');
    assert.equal((await ada.failure('list_tables', {})).code, 'NOT_APPROVED');
    await button.click();
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    await page.screenshot({ path: `${PHOTOGRAPHS}/approved.png` });
    assert.equal((await ada.query('SELECT 1')).isError, false);
    assert.deepEqual(complaints, []);

    await page.goto(page.url());
    await page.getByRole('heading', { name: 'This link is no longer valid' }).waitFor();
    await page.screenshot({ path: `${PHOTOGRAPHS}/used.png` });
});

test('on a phone, in the dark, by keyboard', async () => {
    const grace = team.as('Grace Murray');
    const { page, complaints } = await open({ viewport: { width: 390, height: 844 }, colorScheme: 'dark', isMobile: true });
    await page.goto(await grace.link());
    await page.screenshot({ path: `${PHOTOGRAPHS}/phone.png` });
    assert.ok(await page.evaluate(() => document.documentElement.scrollWidth <= innerWidth), 'nothing runs out of the page');
    await page.keyboard.press('Tab');
    assert.equal(await page.evaluate(() => document.activeElement.textContent), 'Approve');
    await page.keyboard.press('Enter');
    await page.getByRole('heading', { name: 'Approved' }).waitFor();
    assert.equal((await grace.query('SELECT 1')).isError, false);
    assert.deepEqual(complaints, []);
});

test('without JavaScript; not in a frame, and not by a form elsewhere', async () => {
    const konrad = team.as('Konrad Zuse');
    const link = await konrad.link();
    const { page } = await open();
    const form = /name="form" value="([^"]+)"/.exec(await (await fetch(link)).text())[1];

    /* Another site that has got hold of everything there is to know. */
    const evil = http.createServer((_request, response) => response.setHeader('content-type', 'text/html').end(
        `<iframe src="${link}"></iframe><form method="post" action="${link}"><input name="form" value="${form}"><button>Win</button></form>`));
    await new Promise((resolve) => evil.listen(0, '127.0.0.1', resolve));
    await page.goto(`http://localhost:${evil.address().port}/`);
    await page.waitForTimeout(300);
    const framed = page.frames().find((frame) => frame !== page.mainFrame());
    assert.ok(framed === undefined || await framed.getByRole('button').count() === 0, 'the frame is empty');
    await page.getByRole('button', { name: 'Win' }).click();
    await page.getByRole('heading', { name: 'Approve on the page itself' }).waitFor();
    evil.close();
    assert.equal(await konrad.link(), link, 'still waiting');

    const { page: plain } = await open({ javaScriptEnabled: false });
    await plain.goto(link);
    await plain.getByRole('button', { name: 'Approve' }).click();
    await plain.getByRole('heading', { name: 'Approved' }).waitFor();
    assert.equal((await konrad.query('SELECT 1')).isError, false);
});
