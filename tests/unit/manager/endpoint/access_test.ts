import { assertEquals, assertRejects } from "@std/assert";
import { Authority } from "../../../controlplane/pki.ts";
import { EndpointRig } from "./rig.ts";

Deno.test("EndpointAuthenticator: a request whose credentials are all invalid is refused; EndpointAuthenticator: a request without credentials is system:anonymous; Authorizer: the API server decides about everything else; serveEndpoint: every request is authenticated, then authorized, before its path is looked at", async () => {
  await using rig = await EndpointRig.start();
  const cases: [token: string, path: string, status: number][] = [
    ["", "/healthz", 200],
    ["", "/metrics", 403],
    ["", "/nothing", 403],
    ["good", "/metrics", 200],
    ["good", "/configz", 403],
    ["root", "/configz", 200],
    ["bad", "/metrics", 401],
    ["bad", "/healthz", 401],
  ];
  for (const [token, path, status] of cases) {
    assertEquals((await rig.ask(path, { token })).status, status, `${token} ${path}`);
  }
  assertEquals(JSON.parse((await rig.ask("/metrics", { token: "" })).text), {
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message: 'forbidden: User "system:anonymous" cannot get path "/metrics"',
    reason: "Forbidden",
    details: {},
    code: 403,
  });
  assertEquals(JSON.parse((await rig.ask("/metrics", { token: "bad" })).text).message, "Unauthorized");
});

Deno.test("the API server is asked once in ten seconds about a token and a wish", async () => {
  await using rig = await EndpointRig.start();
  const kinds = () => rig.reviews.map(({ kind }) => kind).sort();
  for (let i = 0; i < 3; i++) await rig.ask("/metrics", { token: "good" });
  assertEquals(kinds(), ["subjectaccessreviews", "tokenreviews"]);
  assertEquals(rig.reviews.find(({ kind }) => kind === "subjectaccessreviews")!.spec, {
    user: "jane",
    groups: ["readers", "system:authenticated"],
    nonResourceAttributes: { path: "/metrics", verb: "get" },
  });
  await rig.world.clock.advance(10_001);
  await rig.ask("/metrics", { token: "good" });
  assertEquals(kinds().length, 4);
});

Deno.test("ClientAuthorities: a certificate is good if there is a chain to it from one of the bundle's authorities; ClientAuthorities: its common name is the user, its organizations are the groups; Authorizer: members of system:masters may ask for everything, everybody for the paths that are always allowed", async () => {
  const clients = await Authority.create("clients");
  await using rig = await EndpointRig.start({
    files: { "/ca.crt": clients.cert },
    flags: ["--client-ca-file=/ca.crt", "--authentication-skip-lookup"],
  });
  const status = async (certificate: { cert: string; key: string }) =>
    (await rig.ask("/metrics", { token: "", certificate })).status;
  assertEquals(await status(await clients.client("admin", ["system:masters"])), 200);
  assertEquals(rig.reviews, [], "members of system:masters need no review");
  assertEquals(await status(await clients.client("jane")), 200);
  assertEquals(await status(await clients.client("joe")), 403);
  assertEquals(await status(await clients.client("jane", [], { validForMs: -60_000 })), 401);
  assertEquals(await status(await clients.serving(["jane"], [])), 401);
  assertEquals(await status(await (await Authority.create("clients")).client("jane")), 401);
});

Deno.test("a client certificate is believed with the intermediate certificates that its client sends, the first four", async () => {
  const root = await Authority.create("clients");
  const [first, second] = [
    await root.subordinate("first"),
    await (await root.subordinate("other")).subordinate("other"),
  ];
  const between = await first.subordinate("second");
  await using rig = await EndpointRig.start({
    files: { "/ca.crt": root.cert },
    flags: ["--client-ca-file=/ca.crt", "--authentication-skip-lookup"],
  });
  const { cert, key } = await between.client("admin", ["system:masters"]);
  const status = async (sent: string) =>
    (await rig.ask("/metrics", { token: "", certificate: { cert: cert + sent, key } })).status;
  assertEquals(await status(first.cert + between.cert), 200);
  assertEquals(await status(second.cert.repeat(2) + between.cert + first.cert + root.cert), 200);
  assertEquals(await status(second.cert.repeat(3) + between.cert + first.cert), 401);
  assertEquals([await status(""), await status(first.cert), await status(between.cert)], [401, 401, 401]);
});

Deno.test("EndpointAuthenticator: a front proxy's headers, a client certificate and a bearer token are tried in this order; whoever else sends a proxy's headers is not believed", async () => {
  const [proxies, clients] = [await Authority.create("proxies"), await Authority.create("clients")];
  await using rig = await EndpointRig.start({
    files: { "/proxy.crt": proxies.cert, "/ca.crt": clients.cert },
    flags: [
      "--requestheader-client-ca-file=/proxy.crt",
      "--requestheader-allowed-names=front",
      "--client-ca-file=/ca.crt",
    ],
  });
  const ask = (certificate?: { cert: string; key: string }) =>
    rig.ask("/metrics", {
      token: "",
      certificate,
      headers: [["x-remote-user", "jane"], ["x-remote-group", "a"], ["x-remote-extra-key%2fa", "v"]],
    });
  assertEquals((await ask(await proxies.client("front"))).status, 200);
  const { groups, extra } = rig.reviews.at(-1)!.spec;
  assertEquals([groups, extra], [["a", "system:authenticated"], { "key/a": ["v"] }]);
  assertEquals((await ask(await proxies.client("someone"))).status, 401);
  assertEquals((await ask(await clients.client("joe"))).status, 403);
  assertEquals((await ask()).status, 403);
});

Deno.test("Trust: flags take precedence; Trust: everything is read again every minute", async () => {
  const clients = await Authority.create("clients");
  const certificate = await clients.client("admin", ["system:masters"]);
  await using rig = await EndpointRig.start();
  const status = async () => (await rig.ask("/configz", { token: "", certificate })).status;
  assertEquals(await status(), 403);
  rig.published = { "client-ca-file": clients.cert };
  await rig.world.clock.advance(60_000);
  assertEquals(await status(), 200);
});

Deno.test("Authorizer: where it cannot be asked, the answer is no: without an API server tokens say nothing and only open paths are allowed", async () => {
  await using rig = await EndpointRig.start({ hasClients: false });
  assertEquals((await rig.ask("/healthz", { token: "bad" })).status, 200);
  assertEquals((await rig.ask("/metrics", { token: "root" })).status, 403);
  assertEquals(rig.world.log.lines.filter(({ severity }) => severity === "warning").length, 3);
});

Deno.test("--authorization-always-allow-paths opens a path, or with * all that begin so", async () => {
  await using rig = await EndpointRig.start({ flags: ["--authorization-always-allow-paths=/metrics*"] });
  assertEquals((await rig.ask("/metrics", { token: "" })).status, 200);
  assertEquals((await rig.ask("/metrics/slis", { token: "" })).status, 200);
  assertEquals((await rig.ask("/healthz", { token: "" })).status, 403);
});

Deno.test("Trust: the first read must succeed, except that of the ConfigMap with --authentication-tolerate-lookup-failure", async () => {
  await assertRejects(
    () => EndpointRig.start({ isLookupForbidden: true }),
    Error,
    "unable to look up configmap/extension-apiserver-authentication in kube-system",
  );
  const tolerant = ["--authentication-tolerate-lookup-failure"];
  await using rig = await EndpointRig.start({ isLookupForbidden: true, flags: tolerant });
  assertEquals((await rig.ask("/healthz")).status, 200);
});
