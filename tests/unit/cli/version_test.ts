import { assertEquals, assertMatch } from "@std/assert";
import { VERSION } from "../../../src/api/mod.ts";
import { kubernetesVersionText, versionText } from "../../../src/cli/version.ts";

Deno.test("versionText says what it is, what it was built from and what it runs on", () => {
  const { deno, v8 } = Deno.version;
  const lines = versionText({ commit: "0123abc-dirty", date: "2026-01-02T03:04:05Z" }).split("\n");
  assertEquals(lines[0].slice(0, lines[0].indexOf(" (")), `kubeloop ${VERSION}`);
  assertEquals(lines.slice(1), ["built from commit 0123abc-dirty of 2026-01-02T03:04:05Z", `Deno ${deno}, V8 ${v8}`]);
});

Deno.test("versionText says that it was not built where it runs from source", () => {
  assertEquals(versionText().split("\n")[1], "run from source");
});

Deno.test("versionText says that a commit is unknown where there was no repository", () => {
  const [, build] = versionText({ commit: "", date: "2026-01-02T03:04:05Z" }).split("\n");
  assertEquals(build, "built from commit unknown of 2026-01-02T03:04:05Z");
});

Deno.test("kubernetesVersionText names the platform as Go does, where everything is asked for", () => {
  assertMatch(kubernetesVersionText("raw"), /, Platform:"\w+\/(amd64|arm64)"}$/);
  assertMatch(kubernetesVersionText("true"), /^Kubernetes v1\.\d+\.\d+$/);
});
