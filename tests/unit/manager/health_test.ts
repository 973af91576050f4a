import { assertEquals } from "@std/assert";
import { Health } from "../../../src/manager/mod.ts";

function ask(health: Health, query = ""): Promise<[number, string]> {
  const response = health.respond(new Request(`https://127.0.0.1/healthz${query}`));
  return response.text().then((text) => [response.status, text]);
}

const holds = (name: string) => ({ name, run: () => undefined });
const fails = (name: string) => ({ name, run: () => "a secret" });

Deno.test("Health: it is healthy when every check holds", async () => {
  const health = new Health();
  assertEquals(await ask(health), [200, "ok"]);
  health.add(holds("leaderElection"), holds("job-controller"));
  assertEquals(await ask(health), [200, "ok"]);
  health.add(fails("bad"));
  assertEquals((await ask(health))[0], 500);
  assertEquals(health.failures(), [{ name: "bad", reason: "a secret" }]);
});

Deno.test("Health: ?verbose and every failure list each check, in the order of adding; why one fails is withheld from the answer", async () => {
  const health = new Health();
  health.add(holds("leaderElection"));
  assertEquals(await ask(health, "?verbose"), [200, "[+]leaderElection ok\nhealthz check passed\n"]);
  health.add(fails("bad"));
  assertEquals(await ask(health), [
    500,
    "[+]leaderElection ok\n[-]bad failed: reason withheld\nhealthz check failed\n",
  ]);
});

Deno.test("Health: ?exclude=NAME leaves a check out and says so; an unknown name is warned about", async () => {
  const health = new Health();
  health.add(fails("bad"));
  assertEquals(await ask(health, "?exclude=bad"), [200, "ok"]);
  assertEquals(await ask(health, "?verbose&exclude=bad&exclude=x"), [
    200,
    '[+]bad excluded: ok\nwarn: some health checks cannot be excluded: no matches for "x"\nhealthz check passed\n',
  ]);
});

Deno.test("Health: without any other check there is ping, which always holds, and it tells how each went", async () => {
  const heard: string[] = [];
  const health = new Health((name, holds) => heard.push(`${name} ${holds}`));
  assertEquals(await ask(health, "?verbose"), [200, "[+]ping ok\nhealthz check passed\n"]);
  health.add(holds("good"), fails("bad"));
  await ask(health, "?exclude=good");
  assertEquals(heard, ["ping true", "good true", "bad false"]);
});
