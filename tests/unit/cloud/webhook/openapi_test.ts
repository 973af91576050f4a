import { assert, assertEquals } from "@std/assert";
import { CAPABILITY_NAMES, methodsOf } from "../../../../src/cloud/mod.ts";
import { webhookOpenApiText } from "../../../../src/cloud/webhook/generate_openapi.ts";
import { webhookOpenApi } from "../../../../src/cloud/webhook/openapi.ts";
import { webhookMethod } from "../../../../src/cloud/webhook/methods.ts";
import { readWebhookSettings } from "../../../../src/cloud/webhook/settings.ts";
import { readIpPoolConfig } from "../../../../src/cloud/ippool/config.ts";
import { manifestText } from "../../manifests/reading.ts";

Deno.test("the OpenAPI document is current: else run `deno task gen:webhook`", async () => {
  assertEquals(await manifestText("cloud-webhook.openapi.yaml"), webhookOpenApiText());
});

Deno.test("the OpenAPI document has a path for each method of each capability, and one to describe", () => {
  const paths = Object.keys(webhookOpenApi().paths as object);
  const wanted = CAPABILITY_NAMES.flatMap((capability) =>
    methodsOf(capability).map((method) => `/v1/${capability}/${method}`)
  );
  assertEquals(paths, ["/v1/describe", ...wanted]);
  assert(
    CAPABILITY_NAMES.every((capability) => methodsOf(capability).every((method) => webhookMethod(capability, method))),
  );
});

Deno.test("the example configurations can be read", async () => {
  const webhook = readWebhookSettings({ path: "f", text: await manifestText("cloud/webhook.yaml") });
  assertEquals([webhook.timeoutMs, webhook.changeTimeoutMs, webhook.retries], [30_000, 300_000, 2]);
  const ippool = readIpPoolConfig({ path: "f", text: await manifestText("cloud/ippool.yaml") });
  assertEquals(ippool.pools.map(({ name, ranges }) => [name, ranges.length]), [["public", 3], ["shop", 1]]);
  assertEquals([...ippool.machines?.keys() ?? []], ["worker-1", "worker-2"]);
});
