/** Tokens in Secrets, made and taken away by the whole manager on the embedded API server, which accepts them. */
import { assert, assertEquals, assertRejects } from "@std/assert";
import { type Secret, SECRETS, SERVICEACCOUNTS } from "../../src/api/mod.ts";
import { Client, isNotFound, isUnauthorized } from "../../src/client/mod.ts";
import { startTestCluster, type TestCluster } from "../../src/testkit/mod.ts";

const FLAGS = ["--service-account-private-key-file=/sa.key"];

function tokenSecret(name: string, account: string): Secret {
  const annotations = { "kubernetes.io/service-account.name": account };
  return { metadata: { name, namespace: "shop", annotations }, type: "kubernetes.io/service-account-token" };
}

function filledSecret(cluster: TestCluster, name: string): Promise<Secret> {
  return cluster.eventually(`Secret ${name} has a token`, async () => {
    const secret = await cluster.client.get(SECRETS, { namespace: "shop", name });
    return secret.data?.token !== undefined && secret;
  });
}

/** Who the API server says has the token. */
async function userOf({ world, apiServer }: TestCluster, token: string): Promise<unknown> {
  const transport = (request: Request) => {
    request.headers.set("authorization", `Bearer ${token}`);
    return apiServer.fetch(request);
  };
  const client = new Client({ world, transport, server: "http://127.0.0.1", userAgent: "holder" });
  const body = { apiVersion: "authentication.k8s.io/v1", kind: "SelfSubjectReview" };
  const review = await client.request<{ status: { userInfo: { username: string } } }>(
    "POST",
    "/apis/authentication.k8s.io/v1/selfsubjectreviews",
    { body },
  );
  return review.status.userInfo.username;
}

Deno.test("Tokens in Secrets: an account's Secret gets one that the API server accepts until the account goes", async () => {
  await using cluster = await startTestCluster({ flags: FLAGS });
  await cluster.namespace("shop");
  await cluster.client.create(SERVICEACCOUNTS, { metadata: { name: "bot", namespace: "shop" } });
  await cluster.client.create(SECRETS, tokenSecret("bot-token", "bot"));
  const { data = {}, metadata } = await filledSecret(cluster, "bot-token");
  assertEquals([atob(data.namespace), atob(data["ca.crt"])], ["shop", "a certificate authority for tests\n"]);
  const account = await cluster.client.get(SERVICEACCOUNTS, { namespace: "shop", name: "bot" });
  assertEquals(metadata?.annotations?.["kubernetes.io/service-account.uid"], account.metadata?.uid);
  const token = atob(data.token);
  assertEquals(await userOf(cluster, token), "system:serviceaccount:shop:bot");
  await cluster.client.delete(SERVICEACCOUNTS, { namespace: "shop", name: "bot" });
  await cluster.settle();
  await assertRejects(() =>
    cluster.client.get(SECRETS, { namespace: "shop", name: "bot-token" }).catch((error) => {
      assert(isNotFound(error));
      throw error;
    })
  );
  await assertRejects(() =>
    userOf(cluster, token).catch((error) => {
      assert(isUnauthorized(error));
      throw error;
    })
  );
});

Deno.test("Tokens in Secrets: without a key they are nobody's business", async () => {
  await using cluster = await startTestCluster();
  await cluster.namespace("shop");
  await cluster.client.create(SECRETS, tokenSecret("a", "nobody"));
  await cluster.settle();
  assertEquals((await cluster.client.get(SECRETS, { namespace: "shop", name: "a" })).data, undefined);
});
