/** Makes the thread that loads it fail when it is told to. */
import { type Fault, isFault } from "./faults.ts";

/** 20 MB a second at most. */
const LEAK = { everyMs: 50, numbers: 125_000 };

self.addEventListener("message", (event: MessageEvent) => {
  if (!isFault(event.data)) return;
  event.stopImmediatePropagation();
  suffer(event.data);
});

function suffer(fault: Fault): void {
  switch (fault) {
    case "crash":
      throw new Error("made to crash");
    case "freeze":
      for (;;);
    case "leak": {
      const kept: number[][] = [];
      setInterval(() => void kept.push(Array.from({ length: LEAK.numbers }, (_, i) => i + 0.5)), LEAK.everyMs);
    }
  }
}
