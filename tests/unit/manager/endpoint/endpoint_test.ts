import { assert, assertEquals, assertMatch, assertObjectMatch, assertRejects, assertStringIncludes } from "@std/assert";
import "reflect-metadata";
import * as x509 from "@peculiar/x509";
import { FakeWorld, MetricsRegistry, parseMetrics } from "../../../../src/base/mod.ts";
import type { ControllerDebug } from "../../../../src/controllers/mod.ts";
import { selfSignedCertificate } from "../../../../src/manager/endpoint/self_signed_certificate.ts";
import { Authority } from "../../../controlplane/pki.ts";
import { eventually } from "../../../controlplane/process.ts";
import { EndpointRig } from "./rig.ts";

Deno.test("serveEndpoint answers each path with its status and body; profilingRoutes: a profile that is not supported is answered with 404, as upstream answers an unknown one", async () => {
  await using rig = await EndpointRig.start();
  const graph: ControllerDebug = (path, query) =>
    path === "graph"
      ? Promise.resolve({ contentType: "text/vnd.graphviz", text: `uids ${query.getAll("uid")}` })
      : undefined;
  rig.threads = [
    { metrics: new MetricsRegistry(), debug: new Map(), journal: undefined },
    {
      metrics: new MetricsRegistry(),
      debug: new Map([["garbage-collector-controller", graph]]),
      journal: undefined,
    },
  ];
  const cases: [path: string, status: number, type: string | null, text?: string | RegExp][] = [
    ["/healthz", 200, "text/plain; charset=utf-8", "ok"],
    ["/healthz?verbose", 200, "text/plain; charset=utf-8", "[+]ping ok\nhealthz check passed\n"],
    ["/healthz/ping", 404, "text/plain; charset=utf-8", "404 page not found\n"],
    ["/livez", 404, "text/plain; charset=utf-8", "404 page not found\n"],
    ["/", 404, "text/plain; charset=utf-8", "404 page not found\n"],
    ["//healthz", 404, "text/plain; charset=utf-8", "404 page not found\n"],
    ["/readyz", 200, "text/plain; charset=utf-8", "[+]ping ok\nreadyz check passed\n"],
    ["/metrics", 200, "text/plain; version=0.0.4; charset=utf-8; escaping=underscores"],
    ["/configz", 200, "application/json", /"MinResyncPeriod":"12h0m0s"/],
    ["/version", 200, "application/json", /"gitVersion":"v1\.36/],
    ["/flagz", 200, "text/plain; charset=utf-8", /\nleader-elect: true\n/],
    ["/statusz", 200, "text/plain; charset=utf-8", /\nPaths: \/configz \/flagz \/healthz \/metrics\n$/],
    ["/debug/flags/v", 406, "text/plain", "unsupported http method\n"],
    ["/debug/pprof/", 200, "text/html; charset=utf-8", /href="profile"/],
    ["/debug/pprof/heap", 200, "text/plain; charset=utf-8", /^used_heap_size \d+$/m],
    ["/debug/pprof/symbol", 200, "text/plain; charset=utf-8", "num_symbols: 0\n"],
    ["/debug/pprof/trace", 500, "text/plain; charset=utf-8", /^Could not enable tracing: /],
    ["/debug/pprof/goroutine", 404, "text/plain; charset=utf-8", "Unknown profile\n"],
    ["/debug/controllers/garbage-collector-controller/graph?uid=a&uid=b", 200, "text/vnd.graphviz", "uids a,b"],
    ["/debug/controllers/garbage-collector-controller/x", 404, "text/plain; charset=utf-8"],
    ["/debug/controllers/nobody/graph", 404, "text/plain; charset=utf-8"],
  ];
  for (const [path, status, type, text] of cases) {
    const answer = await rig.ask(path);
    assertEquals([answer.status, answer.headers.get("content-type")], [status, type], path);
    assertEquals(answer.headers.get("cache-control"), "no-cache, private", path);
    if (typeof text === "string") assertEquals(answer.text, text, path);
    else if (text) assertMatch(answer.text, text, path);
  }
});

Deno.test("serveEndpoint: an error while answering is logged and answered with 500; the reason is withheld", async () => {
  await using rig = await EndpointRig.start();
  const graph: ControllerDebug = () => Promise.reject(new Error("the secret reason"));
  const debug = new Map([["garbage-collector-controller", graph]]);
  rig.threads = [{ metrics: new MetricsRegistry(), debug, journal: undefined }];
  const path = "/debug/controllers/garbage-collector-controller/graph?uid=a";
  const { status, text, headers } = await rig.ask(path);
  assertEquals([status, text], [500, `Internal Server Error: "${path}"\n`]);
  assert(!JSON.stringify([...headers]).includes("secret"));
  const [line, ...others] = rig.world.log.lines.filter(({ severity }) => severity === "error");
  assertEquals([line.message, others.length], ["Request failed", 0]);
  assertEquals((line.fields.err as Error).message, "the secret reason");
  assertEquals((await rig.ask("/healthz")).status, 200);
});

Deno.test("serveEndpoint: addresses take fair turns, 500 requests a second in all; an address with too many waiting is answered with 429", async () => {
  await using rig = await EndpointRig.start();
  const turns = () =>
    rig.world.log.lines.filter(({ message, fields }) => message === "HTTP" && fields.resp === 200)
      .map(({ fields }) => String(fields.srcIP).split(":")[0]);
  const held = () => rig.metric("kubeloop_endpoint_requests");
  const refused = () => rig.metric('kubeloop_endpoint_refused_total{what="request"}');

  const greedy = rig.flood("/healthz", { connections: 30, requests: 20, from: "127.0.0.1" });
  await eventually("600 have come", () => turns().length + held() + refused() === 600);
  assertEquals(turns().length, 100, "a burst");
  // 200 are held; of those that began at once, some may have been answered before the last came.
  const waiting = held();
  assert(waiting >= 100 && waiting <= 200, `${waiting} wait`);
  const modest = rig.flood("/healthz", { connections: 10, requests: 2, from: "127.0.0.2" });
  await eventually("20 more wait", () => held() === waiting + 20);

  await rig.world.clock.advance(100);
  await eventually("50 had their turn", () => turns().length === 150);
  assertEquals(turns().slice(100, 140).filter((address) => address === "127.0.0.2").length, 20, "every other one");
  assertEquals(await modest, { 200: 20 });
  await rig.world.clock.advance(1000);
  // A connection that is told 429 is closed: its other requests are refused without an answer.
  assertEquals(Object.keys(await greedy), ["200", "429"]);
  assertEquals([turns().length, refused()], [120 + waiting, 500 - waiting]);
});

Deno.test("serveEndpoint adds up the metrics of all threads, and leaves out what --disabled-metrics names", async () => {
  await using rig = await EndpointRig.start({
    flags: ["--disabled-metrics=secret_total", "--allow-metric-labels=syncs_total,name='a,b'"],
  });
  rig.metrics.counter({ name: "syncs_total", help: "Syncs.", labels: ["name"] }).inc(["a"], 2);
  rig.metrics.counter({ name: "secret_total", help: "Not for you." }).inc();
  const metrics = new MetricsRegistry();
  const syncs = metrics.counter({ name: "syncs_total", help: "Syncs.", labels: ["name"] });
  syncs.inc(["a"], 3);
  syncs.inc(["c"]);
  rig.threads = [{ metrics, debug: new Map(), journal: undefined }];
  const families = parseMetrics((await rig.ask("/metrics")).text);
  const samples = families.find(({ name }) => name === "syncs_total")!.samples;
  assertEquals(samples.map(({ labels, value }) => [labels.name, value]), [["a", 5], ["unexpected", 1]]);
  const names = new Set(families.map(({ name }) => name));
  assert(!names.has("secret_total"));
  for (
    const name of [
      "kubernetes_build_info",
      "kubernetes_feature_enabled",
      "version_info",
      "process_start_time_seconds",
      "process_cpu_seconds_total",
      "process_resident_memory_bytes",
      "authentication_attempts",
      "authorization_attempts_total",
    ]
  ) assert(names.has(name), name);
});

Deno.test("serveEndpoint counts metrics by stability, and takes labels from --allow-metric-labels-manifest", async () => {
  await using rig = await EndpointRig.start({
    flags: ["--disabled-metrics=a_total,b_total", "--allow-metric-labels-manifest=/labels"],
    files: { "/labels": "syncs_total,name: a,b\n" },
  });
  rig.metrics.counter({ name: "syncs_total", help: "Syncs.", labels: ["name"], stability: "STABLE" }).inc(["c"]);
  rig.metrics.counter({ name: "never_total", help: "Nothing yet.", labels: ["name"] });
  const { text } = await rig.ask("/metrics");
  assertStringIncludes(text, 'syncs_total{name="unexpected"} 1\n');
  assertStringIncludes(text, 'registered_metrics_total{stability_level="STABLE",deprecated_version=""} 1\n');
  assertStringIncludes(text, "# HELP disabled_metrics_total [BETA] The count of disabled metrics.\n");
  assertStringIncludes(text, "\ndisabled_metrics_total 2\n");
  assertStringIncludes(text, "\nhidden_metrics_total 0\n");
  assertStringIncludes(
    text,
    "# HELP process_start_time_seconds Start time of the process since unix epoch in seconds.\n",
  );
  assert(!text.includes("never_total"), "a metric without series is not shown");
});

Deno.test("serveEndpoint shows this thread's metrics where another does not answer within two seconds", async () => {
  await using rig = await EndpointRig.start();
  rig.isThreadBlocked = true;
  let isAnswered = false;
  const asked = rig.ask("/metrics").finally(() => isAnswered = true);
  // The request comes by a socket: time passes in small steps until it is there, and answered.
  for (let i = 0; i < 1000 && !isAnswered; i++) {
    await rig.world.clock.advance(100);
    await new Promise((resolve) => setTimeout(resolve));
  }
  const { status, text } = await asked;
  assertEquals(status, 200);
  assertStringIncludes(text, "process_start_time_seconds");
});

Deno.test("serveEndpoint finds out about health, readiness and metrics at most once a second, whoever asks", async () => {
  await using rig = await EndpointRig.start({
    flags: ["--authorization-always-allow-paths=/healthz,/readyz,/metrics"],
  });
  const ran = { healthz: 0, readyz: 0, metrics: 0 };
  rig.health.add({ name: "a", run: () => void ran.healthz++, isNotReady: () => void ran.readyz++ });
  rig.metrics.gauge({ name: "a", help: "Read when it is shown." }).track(() => ran.metrics++);
  const askAll = async () => {
    await Promise.all(
      ["/healthz", "/readyz", "/metrics", "/healthz?verbose", "/metrics"].map((path) => rig.ask(path, { token: "" })),
    );
  };
  await askAll();
  await askAll();
  // /readyz looks whether it is healthy, too.
  assertEquals(ran, { healthz: 2, readyz: 1, metrics: 1 });
  await rig.world.clock.advance(1000);
  await askAll();
  assertEquals(ran, { healthz: 4, readyz: 2, metrics: 2 });
});

Deno.test("serveEndpoint counts health checks in /metrics/slis, and DELETE forgets them", async () => {
  await using rig = await EndpointRig.start();
  rig.health.add({ name: "leaderElection", run: () => undefined });
  await rig.ask("/healthz");
  await rig.ask("/healthz");
  await rig.world.clock.advance(1000);
  await rig.ask("/healthz");
  const count = 'kubernetes_healthchecks_total{name="leaderElection",status="success",type="healthz"}';
  assertStringIncludes((await rig.ask("/metrics/slis")).text, `${count} 2\n`);
  assertEquals((await rig.ask("/metrics/slis", { method: "DELETE" })).text, "metrics reset\n");
  await rig.world.clock.advance(1000);
  await rig.ask("/healthz");
  assertStringIncludes((await rig.ask("/metrics/slis")).text, `${count} 1\n`);
});

Deno.test("readiness: it lists every health check and every watched resource; readiness: it is not ready while a check fails, or while it has heard nothing of some resource for long, and withholds why", async () => {
  await using rig = await EndpointRig.start();
  const labels = ["name", "group", "version", "resource"];
  const staleness = rig.metrics.gauge({ name: "kubeloop_reflector_staleness_seconds", help: "Stale.", labels });
  staleness.set(239, ["x", "apps", "v1", "deployments"]);
  assertEquals((await rig.ask("/readyz", { token: "" })).status, 200);
  staleness.set(300.5, ["x", "", "v1", "pods"]);
  rig.health.add({ name: "group-a", run: () => undefined, isNotReady: () => "waiting: a secret" });
  await rig.world.clock.advance(1000);
  assertEquals((await rig.ask("/healthz", { token: "" })).status, 200);
  const { status, text } = await rig.ask("/readyz", { token: "" });
  assertEquals([status, text], [
    500,
    "[-]group-a failed: reason withheld\n[+]watch deployments.apps ok\n" +
    "[-]watch pods stale: nothing heard for 300 s\nreadyz check failed\n",
  ]);
});

Deno.test("readiness: it names objects that cannot be read, with the reason; they do not make it unready", async () => {
  await using rig = await EndpointRig.start();
  rig.health.addNotes(() => ['pods "ns/a": it is not JSON']);
  const { status, text } = await rig.ask("/readyz", { token: "" });
  assertEquals([status, text], [
    200,
    '[+]ping ok\n[!]object set aside: pods "ns/a": it is not JSON\nreadyz check passed\n',
  ]);
  assertEquals((await rig.ask("/healthz?verbose", { token: "" })).text, "[+]ping ok\nhealthz check passed\n");
});

Deno.test("serveEndpoint answers /statusz and /flagz in the form that is asked for, else 406", async () => {
  await using rig = await EndpointRig.start();
  const ask = (accept: string, path = "/statusz") => rig.ask(path, { headers: { accept } });
  const json = await ask("application/json;v=v1beta1;g=config.k8s.io;as=Statusz");
  assertEquals(json.headers.get("content-type"), "application/json;g=config.k8s.io;v=v1beta1;as=Statusz");
  const { kind, apiVersion, paths } = JSON.parse(json.text);
  assertEquals([kind, apiVersion, paths.length], ["Statusz", "config.k8s.io/v1beta1", 4]);
  const old = await ask("application/yaml;v=v1alpha1;g=config.k8s.io;as=Flagz", "/flagz");
  assertMatch(old.headers.get("warning")!, /^299 - "This version of the flagz endpoint is deprecated/);
  assertStringIncludes(old.text, "apiVersion: config.k8s.io/v1alpha1\n");
  for (
    const accept of ["application/json", "text/html", "application/json;v=v1;g=config.k8s.io;as=Statusz", "constructor"]
  ) {
    const refused = await ask(accept);
    assertEquals([refused.status, JSON.parse(refused.text).reason], [406, "NotAcceptable"], accept);
  }
  // What is liked best counts, wherever it stands.
  const best = await ask("text/plain;q=0.1, application/json;v=v1beta1;g=config.k8s.io;as=Flagz", "/flagz");
  assertEquals(best.headers.get("content-type"), "application/json;g=config.k8s.io;v=v1beta1;as=Flagz");
  const inYaml = await ask("application/yaml", "/flagz");
  assertEquals([inYaml.status, inYaml.headers.get("content-type")], [406, "application/yaml"]);
  assertMatch(inYaml.text, /^apiVersion: v1\ncode: 406\nkind: Status\n/);
});

Deno.test("serveEndpoint sets the verbosity by PUT, and refuses a malformed or too large one", async () => {
  await using rig = await EndpointRig.start();
  const put = (body: string) => rig.ask("/debug/flags/v", { method: "PUT", body });
  assertEquals((await put("4")).text, "successfully set klog.logging.verbosity to 4\n");
  const refused = await put("x");
  assertEquals([refused.status, refused.text], [400, 'strconv.ParseUint: parsing "x": invalid syntax\n']);
  assertEquals((await put("99999999999")).text, 'strconv.ParseUint: parsing "99999999999": value out of range\n');
  assertEquals((await put("1".repeat(100_000))).status, 413);
  assertEquals(rig.verbosities, [4]);
  const { status, headers } = await rig.ask("/version", { method: "POST", body: "x" });
  assertEquals([status, headers.get("allow")], [405, "GET, HEAD"]);
});

Deno.test("profilingRoutes: a CPU profile is taken if the process may inspect itself, one at a time, of 300 seconds at most", async () => {
  await using rig = await EndpointRig.start();
  const { status, headers } = await rig.ask("/debug/pprof", { redirect: "manual" });
  assertEquals([status, headers.get("location")], [302, "/debug/pprof/"]);
  for (const seconds of ["301", "1e12", "Infinity"]) {
    const { status, text } = await rig.ask(`/debug/pprof/profile?seconds=${seconds}`);
    assertEquals([status, text], [400, "profile duration exceeds 300 seconds\n"], seconds);
  }
  const ask = () => rig.ask("/debug/pprof/profile?seconds=5");
  const both = [ask(), ask()];
  const refused = await Promise.race(both);
  assertEquals([refused.status, refused.text], [500, "Could not enable CPU profiling: cpu profiling already in use\n"]);
  await rig.world.clock.advance(5000);
  const profile = (await Promise.all(both)).find(({ status }) => status === 200)!;
  assertEquals(profile.headers.get("content-type"), "application/octet-stream");
  assert(JSON.parse(profile.text).nodes.length > 0);
});

Deno.test("profilingRoutes: once signal aborts, a profile ends and is answered as far as it came", async () => {
  const rig = await EndpointRig.start();
  const { clock } = rig.world;
  // What the API server says of who asks is known from here on, and freed by a timer.
  await rig.ask("/version");
  const timers = clock.pendingTimers;
  const asked = rig.ask("/debug/pprof/profile?seconds=300");
  while (clock.pendingTimers === timers) await clock.nextTurn();
  await rig[Symbol.asyncDispose]();
  const { status, text } = await asked;
  assertEquals([status, JSON.parse(text).nodes.length > 0, clock.pendingTimers], [200, true, 0]);
});

Deno.test("serveEndpoint has no debug flags without --profiling, and no flagz without its gate", async () => {
  await using rig = await EndpointRig.start({ flags: ["--profiling=false", "--feature-gates=ComponentFlagz=false"] });
  assertEquals((await rig.ask("/debug/pprof/")).status, 404);
  assertEquals((await rig.ask("/debug/flags/v")).status, 404);
  assertEquals((await rig.ask("/flagz")).status, 404);
  assertEquals((await rig.ask("/statusz")).status, 200);
});

Deno.test("CertificateSource: changed files apply to later connections; while they are unusable, the last good ones stay in use", async () => {
  const next = await Authority.create("next");
  await using rig = await EndpointRig.start();
  const pair = await next.serving(["localhost"], ["127.0.0.1"]);
  rig.world.fileContents.set("/tls.crt", pair.cert);
  await rig.world.clock.advance(10_000);
  assertStringIncludes(rig.world.log.lines.at(-1)!.message, "Cannot use the changed certificate");
  assertEquals((await rig.ask("/healthz")).status, 200);
  rig.world.fileContents.set("/tls.key", pair.key);
  await rig.world.clock.advance(10_000);
  assertEquals(rig.world.log.lines.at(-1)!.message, "Serving with a new certificate");
  const { cause } = await assertRejects(() => rig.ask("/healthz"), TypeError);
  assertStringIncludes(String((cause as Error)?.message), "UnknownIssuer");
});

Deno.test("CertificateSource: in --cert-dir a certificate is made where there is none, and used from then on", async () => {
  const flags = ["--cert-dir=/run/certs", "--tls-cert-file=", "--tls-private-key-file="];
  const file = (rig: EndpointRig, name: string) =>
    rig.world.fileContents.get(`/run/certs/kube-controller-manager.${name}`);
  await using first = await EndpointRig.start({ flags });
  const [crt, key] = [file(first, "crt")!, file(first, "key")!];
  assertStringIncludes(crt, "-----BEGIN CERTIFICATE-----");
  const files = { "/run/certs/kube-controller-manager.crt": crt, "/run/certs/kube-controller-manager.key": key };
  await using second = await EndpointRig.start({ flags, files });
  assertEquals([file(second, "crt"), file(second, "key")], [crt, key]);
});

Deno.test("serveEndpoint: files are read and the port is taken before the API server is asked anything", async () => {
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const asked: string[] = [];
  await assertRejects(
    () => EndpointRig.start({ flags: [`--secure-port=${taken.addr.port}`], onRequest: (path) => asked.push(path) }),
    Error,
    "address already in use",
  );
  assertEquals(asked, []);
});

Deno.test("CertificateSource: files that the flags name must exist; serveEndpoint names the file or the address that it cannot have", async () => {
  const other = await (await Authority.create("other")).serving(["localhost"], []);
  using taken = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const cases: [flags: string[], files: Record<string, string>, message: string][] = [
    [["--tls-cert-file=/no"], {}, "open /no: no such file or directory"],
    [[], { "/tls.key": other.key }, "tls: private key /tls.key does not match public key of /tls.crt"],
    [[], { "/tls.crt": "-----BEGIN CERTIFICATE-----\nx" }, "/tls.crt: cannot be read as PEM of a certificate"],
    [["--client-ca-file=/no"], {}, "unable to load client CA provider: open /no: no such file or directory"],
    [
      [`--secure-port=${taken.addr.port}`],
      {},
      `listen tcp 127.0.0.1:${taken.addr.port}: address already in use: see --bind-address and --secure-port`,
    ],
  ];
  for (const [flags, files, message] of cases) {
    assertEquals((await assertRejects(() => EndpointRig.start({ flags, files }), Error)).message, message);
  }
});

Deno.test("selfSignedCertificate is for localhost and the address bound to, of an authority sent with it, for a year", async () => {
  const world = new FakeWorld();
  const stamp = Math.floor(world.clock.wallMs() / 1000);
  for (
    const [bindAddress, addresses] of [
      ["0.0.0.0", ["127.0.0.1"]],
      ["192.0.2.1", ["127.0.0.1", "192.0.2.1"]],
      [
        "fd00::1:0:0:2",
        ["127.0.0.1", "fd00::1:0:0:2"],
      ],
      ["::1", ["127.0.0.1", "::1"]],
      ["fd00:1:2:3:4:5:6:7", ["127.0.0.1", "fd00:1:2:3:4:5:6:7"]],
    ] as const
  ) {
    const { cert, key } = await selfSignedCertificate(world, bindAddress);
    const [certificate, authority] = x509.PemConverter.decode(cert).map((der) => new x509.X509Certificate(der));
    assertEquals([certificate.subject, certificate.issuer], [`CN=localhost@${stamp}`, `CN=localhost-ca@${stamp}`]);
    const names = certificate.getExtension(x509.SubjectAlternativeNameExtension)!.names.items;
    assertEquals(names.map(({ type, value }) => `${type} ${value}`), [
      "dns localhost",
      ...addresses.map((a) => `ip ${a}`),
    ]);
    assertEquals(certificate.notBefore.getTime(), world.clock.wallMs() - 3_600_000);
    assertEquals(certificate.notAfter.getTime(), world.clock.wallMs() - 3_600_000 + 365 * 24 * 3_600_000);
    assertObjectMatch(certificate.publicKey.algorithm, { name: "ECDSA", namedCurve: "P-256" });
    assert(await certificate.verify({ publicKey: authority, signatureOnly: true }));
    assert(await authority.verify({ signatureOnly: true }));
    assert(key.startsWith("-----BEGIN PRIVATE KEY-----"));
  }
});
