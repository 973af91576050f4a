/** Makes the thread that loads it fill its heap in one go when it is told to. */
/// <reference lib="deno.worker" />
self.addEventListener("message", (event: MessageEvent) => {
  if (event.data !== "fill") return;
  event.stopImmediatePropagation();
  const kept: number[][] = [];
  for (;;) kept.push(new Array<number>(100_000).fill(0.5));
});
