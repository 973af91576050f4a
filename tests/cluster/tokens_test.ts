/** Tokens of ServiceAccounts in Secrets under upstream's manager and under ours, on a real API server. */
import { SECRETS } from "../../src/api/mod.ts";
import { TOKEN_SCENARIOS } from "../scenarios/token_scenarios.ts";
import { Cluster } from "./cluster.ts";
import { assertParity, parityTest } from "./parity.ts";

parityTest("Tokens in Secrets are the same under kubeloop as under upstream's manager", async () => {
  await using cluster = await Cluster.start({ nodes: 0 });
  await assertParity(cluster, { area: "account-tokens", scenarios: TOKEN_SCENARIOS, resources: [SECRETS] });
});
