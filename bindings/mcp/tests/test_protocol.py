"""The wire: both eras, JSON-RPC's rules, cancellation, the end of input.

    test_protocol.py SERVER

SPDX-License-Identifier: Apache-2.0
"""
import json
import subprocess
import time
import unittest

from mcp_client import ENDLESS, META, MODERN, SERVER, Server, tap

INFO = "io.modelcontextprotocol/serverInfo"
MIB = 1 << 20


def ping(number):
    return {"jsonrpc": "2.0", "id": number, "method": "ping"}


def endless(number, sql=ENDLESS):
    return {"jsonrpc": "2.0", "id": number, "method": "tools/call", "params": {"name": "query", "arguments": {"sql": sql}}}


def cancel(number):
    return {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": number, "reason": "test"}}


class Eras(unittest.TestCase):
    def test_handshake(self):
        with Server("--demo") as s:
            for asked, got in [("2025-11-25", "2025-11-25"), ("2025-06-18", "2025-06-18"), ("2025-03-26", "2025-11-25"),
                               (MODERN, "2025-11-25"), ("x", "2025-11-25")]:
                result = s.request("initialize", {"protocolVersion": asked, "capabilities": {},
                                                  "clientInfo": {"name": "t", "version": "0"}})["result"]
                self.assertEqual(result["protocolVersion"], got)
                self.assertEqual(result["capabilities"], {"tools": {}})
                self.assertEqual(result["serverInfo"]["name"], "d1guard-mcp")
                self.assertIn("list_tables", result["instructions"])
            s.send({"jsonrpc": "2.0", "method": "notifications/initialized"})
            self.assertEqual(s.request("ping")["result"], {})

    def test_handshake_without_version(self):
        with Server("--demo") as s:
            self.assertEqual(s.request("initialize", {})["error"]["code"], -32602)

    def test_modern(self):
        with Server("--demo") as s:
            result = s.request("server/discover", modern=True)["result"]
            self.assertEqual(result["supportedVersions"], [MODERN])
            self.assertEqual(result["resultType"], "complete")
            self.assertEqual(result["_meta"][INFO]["name"], "d1guard-mcp")
            self.assertGreater(result["ttlMs"], 0)
            listed = s.request("tools/list", modern=True)["result"]
            self.assertEqual([tool["name"] for tool in listed["tools"]], ["list_tables", "describe_table", "query"])
            self.assertEqual((listed["resultType"], listed["cacheScope"]), ("complete", "private"))
            called = s.request("tools/call", {"name": "query", "arguments": {"sql": "SELECT 1"}}, modern=True)["result"]
            self.assertEqual((called["resultType"], called["structuredContent"]["rows"]), ("complete", [[1]]))

    def test_eras_interleave(self):
        with Server("--demo") as s:
            for modern in (True, False, True, False):
                result = s.request("tools/list", modern=modern)["result"]
                self.assertEqual("resultType" in result, modern)
                self.assertEqual("_meta" in result, modern)

    def test_methods_of_the_other_era(self):
        with Server("--demo") as s:
            for method in ("ping", "initialize", "logging/setLevel", "resources/list", "prompts/list", "subscriptions/listen"):
                self.assertEqual(s.request(method, modern=True)["error"]["code"], -32601, method)
            for method in ("resources/list", "prompts/list", "logging/setLevel", "completion/complete", ""):
                self.assertEqual(s.request(method)["error"]["code"], -32601, method)
            self.assertEqual(s.request("server/discover")["error"]["code"], -32602)

    def test_meta(self):
        version, capabilities = META
        with Server("--demo") as s:
            for meta, code in [({version: MODERN}, -32602), ({version: MODERN, capabilities: []}, -32602),
                               ({version: 1, capabilities: {}}, -32602), ([], -32602), ("x", -32602),
                               ({version: "2025-11-25", capabilities: {}}, -32022),
                               ({version: "2026-07-28\0", capabilities: {}}, -32602)]:
                error = s.request("tools/list", {"_meta": meta})["error"]
                self.assertEqual(error["code"], code, meta)
            error = s.request("tools/list", {"_meta": {version: "2099-01-01", capabilities: {}}})["error"]
            self.assertEqual(error["data"], {"supported": [MODERN], "requested": "2099-01-01"})
            result = s.request("tools/list", {"_meta": {**META, "progressToken": 7, "x/y": 1}})["result"]
            self.assertEqual(result["resultType"], "complete")


class Messages(unittest.TestCase):
    def test_ids_come_back_as_they_were(self):
        with Server("--demo") as s:
            for text in ('"a"', '""', '"é\\n"', "0", "-7", "9007199254740993", "9223372036854775807", '"1"', "1"):
                s.send('{"jsonrpc":"2.0","id":%s,"method":"ping"}' % text)
                self.assertEqual(json.dumps(s.receive()["id"]), json.dumps(json.loads(text)))

    def test_bad_ids(self):
        with Server("--demo") as s:
            for text in ("null", "1.5", "true", "[]", "{}", "9223372036854775808", "1e3"):
                s.send('{"jsonrpc":"2.0","id":%s,"method":"ping"}' % text)
                answer = s.receive()
                self.assertEqual(answer["error"]["code"], -32600, text)
                self.assertNotIn("id", answer)

    def test_not_json(self):
        with Server("--demo") as s:
            for line in (b"{", b"x", b'{"jsonrpc":"2.0","id":1,"method":"ping"} x', b'{"a":1,"a":2}', b'{"a":"\xff"}',
                         b'{"a":"\\ud800"}', b'{"a":01}', b'{"a":1e999}', b'"\x01"', b"\x00", b"\xef\xbb\xbf{}"):
                s.send_bytes(line + b"\n")
                answer = s.receive()
                self.assertEqual(answer["error"]["code"], -32700, line)
                self.assertNotIn("id", answer)
            self.assertEqual(s.request("ping")["result"], {})

    def test_not_a_request(self):
        with Server("--demo") as s:
            for line in ("1", '"x"', "null", "[]", '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', "{}",
                         '{"jsonrpc":"1.0","id":1,"method":"ping"}', '{"id":1,"method":"ping"}',
                         '{"jsonrpc":"2.0","id":1,"method":1}', '{"jsonrpc":"2.0","id":1}',
                         '{"jsonrpc":"2.0","id":1,"method":"ping\\u0000"}'):
                s.send(line)
                self.assertEqual(s.receive()["error"]["code"], -32600, line)
            self.assertEqual(s.request("ping")["result"], {})

    def test_bad_params(self):
        with Server("--demo") as s:
            for method, params in [("ping", []), ("ping", 1), ("tools/call", None), ("tools/call", {"name": 1}),
                                   ("tools/call", {"name": "nosuch"}), ("tools/call", {"name": "query\0"}),
                                   ("tools/call", {"name": "d1_read_query"}),
                                   ("tools/call", {"name": "query", "arguments": []}), ("tools/list", {"cursor": "x"})]:
                s.send({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
                self.assertEqual(s.receive()["error"]["code"], -32602, (method, params))

    def test_notifications_and_responses_get_no_answer(self):
        with Server("--demo") as s:
            for message in ({"method": "notifications/initialized"}, {"method": "nosuch"}, {"method": "ping"},
                            {"method": "tools/call", "params": {"name": "query", "arguments": {"sql": "SELECT 1"}}},
                            {"method": "notifications/cancelled"}, {"method": "notifications/cancelled", "params": []},
                            cancel(99), cancel("x"), cancel(None), {"id": 5, "result": {}},
                            {"id": 6, "error": {"code": 1, "message": "x"}}):
                s.send({"jsonrpc": "2.0", **message})
            self.assertTrue(s.nothing_comes())
            self.assertEqual(s.request("ping")["result"], {})

    def test_depth(self):
        with Server("--demo") as s:
            for depth, code in ((62, None), (63, -32600), (100000, -32600)):
                s.send('{"jsonrpc":"2.0","id":1,"method":"ping","params":{"x":%s%s}}' % ("[" * depth, "]" * depth))
                self.assertEqual(s.receive().get("error", {}).get("code"), code)
            s.send('{"jsonrpc":"2.0","id":"%s\\"","method":"ping"}' % ("[{" * 100))
            self.assertEqual(s.receive()["result"], {})

    def test_blank_lines_carriage_returns_and_a_last_line_without_end(self):
        with Server("--demo") as s:
            s.send_bytes(b"\n \t\r\n\r\n" + json.dumps(ping(1)).encode() + b"\r\n")
            self.assertEqual(s.receive()["id"], 1)
            s.send_bytes(json.dumps(ping(2)).encode())
            s.end()
            self.assertEqual(s.receive()["id"], 2)

    def test_many_messages_in_one_write_and_one_in_many(self):
        with Server("--demo") as s:
            s.send_bytes(b"".join(json.dumps(ping(n)).encode() + b"\n" for n in range(500)))
            self.assertEqual([s.receive()["id"] for _ in range(500)], list(range(500)))
            for byte in json.dumps(ping(7)).encode() + b"\n":
                s.send_bytes(bytes([byte]))
            self.assertEqual(s.receive()["id"], 7)

    def test_line_length(self):
        message = json.dumps(endless(1, "SELECT length('@') AS n"))
        with Server("--demo") as s:
            fits = message.replace("@", "x" * (MIB - len(message) + 1))
            self.assertEqual(len(fits), MIB)
            s.send(fits)
            self.assertEqual(s.receive()["result"]["structuredContent"]["rows"], [[MIB - len(message) + 1]])
            s.send(fits + " ")
            answer = s.receive()
            self.assertEqual(answer["error"]["code"], -32600)
            self.assertIn("1 MiB", answer["error"]["message"])
            s.send("x" * (5 * MIB))
            self.assertEqual(s.receive()["error"]["code"], -32600)
            self.assertTrue(s.nothing_comes(0.1))
            self.assertEqual(s.request("ping")["result"], {})


class Work(unittest.TestCase):
    def test_cancel_stops_the_query(self):
        with Server("--demo") as s:
            s.send(endless("work"))
            s.send(ping(1))
            self.assertEqual(s.receive()["id"], 1)  # the reader goes on
            s.send(cancel("work"))
            start = time.monotonic()
            self.assertEqual(s.rows("SELECT 2"), [[2]])  # the worker is free, and nothing came for "work"
            self.assertLess(time.monotonic() - start, 5)

    def test_cancel_what_waits(self):
        with Server("--demo") as s:
            s.send(endless("first"))
            s.send(endless("second"))
            s.send(endless(3, "SELECT 3"))
            s.send(cancel("second"))
            s.send(cancel("first"))
            self.assertEqual(s.receive()["id"], 3)
            self.assertTrue(s.nothing_comes())

    def test_cancel_tells_a_number_from_a_string(self):
        with Server("--demo", "--timeout-ms", 1000) as s:
            s.send(endless("7"))
            s.send(cancel(7))
            answer = s.receive()
            self.assertEqual((answer["id"], answer["result"]["isError"]), ("7", True))

    def test_timeout(self):
        with Server("--demo", "--timeout-ms", 200) as s:
            start = time.monotonic()
            self.assertEqual(s.error("query", sql=ENDLESS)["code"], "TIMEOUT")
            self.assertLess(time.monotonic() - start, 5)
            self.assertEqual(s.rows("SELECT 1"), [[1]])

    def test_one_step_that_takes_hours(self):
        stuck = "SELECT instr(printf('%.*c', 30000000, 'a'), printf('%.*c', 15000000, 'a') || 'b')"
        with Server("--demo", "--timeout-ms", 300) as s:
            s.send(endless("stuck", stuck))
            s.send(endless("waiting", "SELECT 1"))
            first, second = s.receive(), s.receive()
            self.assertEqual((first["id"], second["id"]), ("stuck", "waiting"))
            self.assertIn("TIMEOUT", first["result"]["content"][0]["text"])
            self.assertIn("BUSY", second["result"]["content"][0]["text"])
            self.assertEqual(s.rows("SELECT 2"), [[2]])
        with Server("--demo") as s:
            s.send(endless("stuck", stuck))
            time.sleep(0.3)
            s.send(cancel("stuck"))
            self.assertEqual(s.request("ping")["result"], {})
            for _ in range(20):
                time.sleep(0.5)
                if "anew" in s.stderr:
                    break
            self.assertEqual(s.rows("SELECT 3"), [[3]])
        with Server("--demo") as s:
            s.send(endless("stuck", stuck))
            self.assertEqual(s.end(), 0)

    def test_too_many_waiting(self):
        with Server("--demo") as s:
            for number in range(70):
                s.send(endless(number))
            refused = [s.receive() for _ in range(6)]
            self.assertEqual([answer["id"] for answer in refused], [64, 65, 66, 67, 68, 69])
            for answer in refused:
                self.assertIn("BUSY", answer["result"]["content"][0]["text"])
                self.assertTrue(answer["result"]["isError"])
            for number in range(64):
                s.send(cancel(number))
            for _ in range(100):  # until the worker has gone through the cancelled ones
                time.sleep(0.05)
                result = s.raw_call("query", {"sql": "SELECT 1"})
                if not result["isError"]:
                    break
            self.assertEqual(result["structuredContent"]["rows"], [[1]])

    def test_end_of_input_lets_running_work_finish(self):
        with Server("--demo") as s:
            for number in range(5):
                s.send(endless(number, f"SELECT {number}"))
            s.end()
            self.assertEqual([s.receive(1)["result"]["structuredContent"]["rows"] for _ in range(5)], [[[n]] for n in range(5)])

    def test_end_of_input_stops_endless_work(self):
        with Server("--demo") as s:
            s.send(endless(1))
            s.send(endless(2))
            start = time.monotonic()
            self.assertEqual(s.end(), 0)
            self.assertLess(time.monotonic() - start, 10)
            self.assertTrue(s.nothing_comes(0))

    def test_client_that_stops_listening(self):
        process = subprocess.Popen([SERVER, "--demo"], stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        process.stdout.close()
        process.stdin.write(json.dumps(ping(1)).encode() + b"\n")
        process.stdin.flush()
        self.assertEqual(process.wait(timeout=20), 0)  # stdin is still open
        process.stdin.close()


if __name__ == "__main__":
    tap.main()
