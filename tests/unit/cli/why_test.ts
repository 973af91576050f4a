import { assertEquals, assertRejects, assertThrows } from "@std/assert";
import { FakeWorld } from "../../../src/base/mod.ts";
import { kubeconfigText } from "../../../src/sandbox/mod.ts";
import { readWhyRequest, type WhyRequest } from "../../../src/cli/why/flags.ts";
import { managersFor } from "../../../src/cli/why/managers.ts";

type Question = Extract<WhyRequest, { type: "why" }>;

const question = (...args: string[]) => readWhyRequest(["pod/x", ...args]) as Question;

Deno.test("why takes TYPE/NAME and TYPE NAME, and kubectl's short flags", () => {
  assertEquals(question("-n", "shop", "-o", "json"), {
    type: "why",
    target: { type: "pod", name: "x" },
    namespace: "shop",
    output: "json",
    server: "",
    kubeconfig: "",
    context: "",
    certificateAuthority: "",
    isInsecure: false,
    verbosity: 0,
  });
  const { target } = readWhyRequest(["deploy", "web"]) as Question;
  assertEquals(target, { type: "deploy", name: "web" });
  assertEquals(readWhyRequest(["--help"]), { type: "help" });
});

for (
  const [args, message] of [
    [[], "which object?"],
    [["a", "b", "c"], "there must be one object"],
    [["pod/x", "--output=yaml"], 'invalid argument "yaml" for "--output" flag'],
    [["pod/x", "--server=127.0.0.1:10257"], "it must be a URL such as https://127.0.0.1:10257"],
    [["pod/x", "--insecure-skip-tls-verify", "--certificate-authority=a"], "exclude each other"],
    [["pod/x", "--nothing"], "unknown flag: --nothing"],
  ] as const
) {
  Deno.test(`why refuses a bad command line: ${args.join(" ")}`, () => {
    assertThrows(() => readWhyRequest(args), Error, message);
  });
}

const ADMIN = kubeconfigText({
  name: "admin",
  server: "https://10.0.0.1:6443",
  token: "secret",
  certificateAuthority: "-----BEGIN CERTIFICATE-----\n",
});
const DEV = kubeconfigText({ server: "http://127.0.0.1:8001" });
const env = { HOME: "/home/jane" };

Deno.test("why asks the manager of this machine, with the credentials of kubectl, and does not verify it there", async () => {
  const world = new FakeWorld({ files: { "/home/jane/.kube/config": ADMIN } });
  const [manager, ...others] = await managersFor(world, question(), env);
  assertEquals(others, []);
  assertEquals([manager.server, manager.token, manager.insecure, manager.ca], [
    "https://127.0.0.1:10257",
    "secret",
    true,
    undefined,
  ]);
});

Deno.test("why verifies a manager on another machine, and one whose authority is given", async () => {
  const world = new FakeWorld({ files: { "/home/jane/.kube/config": ADMIN } });
  const [far] = await managersFor(world, question("--server=https://10.0.0.5:10257/"), env);
  assertEquals([far.server, far.insecure ?? false], ["https://10.0.0.5:10257", false]);
  const [trusted] = await managersFor(world, question("--certificate-authority=/ca.crt"), env);
  assertEquals([trusted.insecure, trusted.ca], [false, { file: "/ca.crt" }]);
  const [careless] = await managersFor(world, question("--server=https://a.b", "--insecure-skip-tls-verify"), env);
  assertEquals([careless.insecure, careless.ca], [true, undefined]);
});

Deno.test("why asks kubeloop dev first where its kubeconfig lies, and alone where that is given", async () => {
  const world = new FakeWorld({
    files: { ".kubeloop/kubeconfig": DEV, "/elsewhere": DEV, "/home/jane/.kube/config": ADMIN },
  });
  const servers = async (...args: string[]) =>
    (await managersFor(world, question(...args), env)).map(({ server }) => server);
  assertEquals(await servers(), ["http://127.0.0.1:8001", "https://127.0.0.1:10257"]);
  assertEquals(await servers("--kubeconfig=/elsewhere"), ["http://127.0.0.1:8001"]);
  assertEquals(await servers("--kubeconfig=/home/jane/.kube/config"), ["https://127.0.0.1:10257"]);
});

Deno.test("why asks the kubeloop dev that the current context names, wherever its kubeconfig lies", async () => {
  const world = new FakeWorld({
    files: { "/elsewhere": DEV, ".kubeloop/kubeconfig": DEV, "/home/jane/.kube/config": ADMIN },
  });
  const servers = async (KUBECONFIG: string, ...args: string[]) =>
    (await managersFor(world, question(...args), { ...env, KUBECONFIG })).map(({ server }) => server);
  assertEquals(await servers("/elsewhere"), ["http://127.0.0.1:8001"]);
  assertEquals(await servers("/nope:/elsewhere"), ["http://127.0.0.1:8001"]);
  assertEquals(await servers("/home/jane/.kube/config:/elsewhere", "--context=kubeloop-dev"), [
    "http://127.0.0.1:8001",
  ]);
  assertEquals(await servers("/elsewhere:/home/jane/.kube/config", "--context=admin"), ["https://127.0.0.1:10257"]);
  assertEquals(await servers("/elsewhere", "--server=https://a.b"), ["https://a.b"]);
});

Deno.test("why asks kubeloop dev in contexts of its cluster that somebody else has named", async () => {
  const shop = "  - name: shop\n    context: { cluster: kubeloop-dev, user: kubeloop-dev, namespace: shop }\n";
  const SHOP = DEV.replace("contexts:\n", `contexts:\n${shop}`);
  const isCurrent = SHOP.replace("current-context: kubeloop-dev", "current-context: shop");
  const files = { "/elsewhere": SHOP, ".kubeloop/kubeconfig": isCurrent };
  const world = new FakeWorld({ files });
  const asked = async (...args: string[]) =>
    (await managersFor(world, question(...args), env)).map(({ server, namespace }) => [server, namespace]);
  assertEquals(await asked("--kubeconfig=/elsewhere", "--context=shop"), [["http://127.0.0.1:8001", "shop"]]);
  assertEquals((await asked())[0], ["http://127.0.0.1:8001", "shop"]);
});

Deno.test("why warns of a KUBECONFIG that is not there, and asks without credentials", async () => {
  const world = new FakeWorld();
  await managersFor(world, question(), { ...env, KUBECONFIG: "/nope" });
  const [line] = world.log.lines;
  assertEquals([line.severity, line.message], ["warning", "Asking without credentials"]);
});

Deno.test("why asks as nobody without any kubeconfig, and says what is wrong with one", async () => {
  const [manager] = await managersFor(new FakeWorld(), question(), env);
  assertEquals([manager.server, manager.token], ["https://127.0.0.1:10257", undefined]);
  const broken = new FakeWorld({ files: { "/home/jane/.kube/config": "{" } });
  await assertRejects(() => managersFor(broken, question(), env), Error, "/home/jane/.kube/config");
});
