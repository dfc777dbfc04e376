// The matching time of every pattern in the app is linear in the length of the text.
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import ts from 'typescript'
import { expect, test } from 'vitest'

const LENGTH = 2000
const MILLISECONDS = 50
const ROUNDS = 3
const PIECES = [' ', '\n', 'a', 'A', '0', '.', 'a.', '-', '@', 'a@', '/', ':', '[', '(', '"', "'", ',', '%', '\\']

function sources(folder: string): string[] {
  return readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
    const path = join(folder, entry.name)
    if (entry.isDirectory()) return sources(path)
    return /\.tsx?$/.test(entry.name) && !entry.name.includes('.test.') ? [path] : []
  })
}

function patterns(path: string): string[] {
  const found: string[] = []
  const walk = (node: ts.Node): void => {
    if (ts.isRegularExpressionLiteral(node)) found.push(node.text)
    ts.forEachChild(node, walk)
  }
  walk(ts.createSourceFile(path, readFileSync(path, 'utf8'), ts.ScriptTarget.Latest, false))
  return found
}

const all = [...new Set(sources(join(import.meta.dirname, '..')).flatMap(patterns))]

// The machine may be busy: a pattern counts as slow only if it is slow each time.
function fastest(pattern: RegExp, text: string): number {
  let best = Number.POSITIVE_INFINITY
  for (let round = 0; round < ROUNDS && best >= MILLISECONDS; round++) {
    pattern.lastIndex = 0
    const start = performance.now()
    text.replace(pattern, '')
    best = Math.min(best, performance.now() - start)
  }
  return best
}

test.each(all)('%s is never slow', (text) => {
  const end = text.lastIndexOf('/')
  const pattern = new RegExp(text.slice(1, end), text.slice(end + 1))
  const words = text.slice(1, end).match(/[a-z0-9:/@]{2,}/gi) ?? []
  for (const piece of [...PIECES, ...words]) {
    for (const head of ['', ...PIECES, ...words]) {
      for (const hostile of [
        head + piece.repeat(LENGTH / piece.length) + '\u0001',
        (head + piece).repeat(LENGTH / (head + piece).length) + '\u0001',
      ]) {
        expect(fastest(pattern, hostile)).toBeLessThan(MILLISECONDS)
      }
    }
  }
})

test('there are patterns to look at', () => {
  expect(all.length).toBeGreaterThan(5)
})
