/** Takes all steps of some work: how many there are shows what it may cost at a time. */
export function stepsOf<R>(work: Generator<void, R>): { readonly result: R; readonly steps: number } {
  for (let steps = 0;; steps++) {
    const { done, value } = work.next();
    if (done) return { result: value, steps };
  }
}
