/** What strangers' certificates may cost, each of which takes a while to judge. */
import { assertEquals, assertRejects } from "@std/assert";
import { FakeClock, QueueFullError } from "../../../../src/base/mod.ts";
import { CertificateReviews } from "../../../../src/manager/endpoint/certificate_reviews.ts";
import type { ClientAuthorities } from "../../../../src/manager/endpoint/client_certificates.ts";

/** Authorities that vouch for all but certificates that begin with a zero, and count what they judge. */
function bundle() {
  const counted = { judged: 0 };
  const userOf = (certificate: Uint8Array) => {
    counted.judged++;
    if (certificate[0] === 0) return Promise.reject(new Error("unknown authority"));
    return Promise.resolve({ name: "jane", groups: [] });
  };
  return { counted, authorities: { userOf } as unknown as ClientAuthorities };
}

const peer = (source: string, first = 1) => ({ source, certificate: Uint8Array.of(first), intermediates: () => [] });

Deno.test("CertificateReviews: a connection's certificate is verified once in ten seconds against each bundle of authorities, however many requests it sends", async () => {
  const clock = new FakeClock();
  const reviews = new CertificateReviews(clock, new AbortController().signal);
  const [one, other] = [bundle(), bundle()];
  const [good, bad] = [peer("a"), peer("a", 0)];
  for (let i = 0; i < 5; i++) {
    assertEquals((await reviews.userOf(good, one.authorities))?.name, "jane");
    await assertRejects(() => reviews.userOf(bad, one.authorities), Error, "unknown authority");
    assertEquals((await reviews.userOf(good, other.authorities))?.name, "jane");
  }
  assertEquals([one.counted.judged, other.counted.judged], [2, 1]);
  await clock.advance(10_000);
  await reviews.userOf(good, one.authorities);
  assertEquals([one.counted.judged, other.counted.judged], [3, 1]);
  assertEquals(await reviews.userOf({ ...good, certificate: undefined }, one.authorities), undefined);
});

Deno.test("CertificateReviews: addresses take turns: 20 reviews start at once, and more than 100 waiting are refused", async () => {
  const clock = new FakeClock();
  const stop = new AbortController();
  const reviews = new CertificateReviews(clock, stop.signal);
  const { counted, authorities } = bundle();
  let refused = 0;
  const ask = (source: string) =>
    reviews.userOf(peer(source), authorities).catch((error) => {
      if (error instanceof QueueFullError) refused++;
    });
  for (let i = 0; i < 299; i++) void ask("flood");
  const last = peer("flood");
  await assertRejects(() => reviews.userOf(last, authorities), QueueFullError);
  await clock.advance(0);
  assertEquals(counted.judged, 20);
  assertEquals(refused, 199);
  let isAnswered = false;
  void ask("other").then(() => isAnswered = true);
  await clock.advance(100);
  assertEquals([counted.judged, isAnswered], [22, true]);
  await clock.advance(900);
  assertEquals(counted.judged, 40);
  // Whom there was no room for is judged when he asks again.
  await clock.advance(10_000);
  assertEquals((await reviews.userOf(last, authorities))?.name, "jane");
  stop.abort();
  assertEquals(clock.pendingTimers, 0);
});
