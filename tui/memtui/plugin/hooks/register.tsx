// Runs inside Claude Code: compares each compaction's summary with what it replaced, the moment it exists, and
// hands over what it left out with the very next request. All judgement is in `memtui mod`; without it, or when
// it is slow or fails, the compaction goes on as it would have.
import { atom, read, update } from 'claude-code'
import type { EngineInterface, Register } from 'claude-code'

import type { Ask, Note, Start, Way } from '../types'

const PANE = 'memtui-lost'
const QUICK_MS = 5_000
const SLOW_MS = 15_000
const MODEL_MS = 20_000
const SHOWN = 10
const TURNS = 3
const WAYS: [Way, string, string][] = [
  ['small', 's', 'small, about 12,000 tokens of haiku each time'],
  ['own', 'o', "own, this session's model, mostly from its cache"],
  ['no', 'n', 'no'],
]
const loss = atom({ plugin: 'memtui', key: 'loss' } as const, null, { shape: 'loss-2' })

const oneLine = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text)

/** One question to memtui, JSON in and out; throws when it is missing, slow, fails or answers something else. */
async function memtui<T>($: EngineInterface, event: string, given: object = {}, timeoutMs = SLOW_MS): Promise<T> {
  const { transcriptPath } = await $.session.info()
  const stdin = JSON.stringify({ session: await $.session.id(), transcript: transcriptPath, ...given })
  const argv = [`${$.plugin.root}/launch`, 'mod', event]
  const ran = await $.process.run(argv, { stdin, cwd: await $.session.cwd(), timeoutMs })
  if (ran.exitCode !== 0) throw new Error(ran.stderr.trim().split('\n')[0] || `exit code ${ran.exitCode}`)
  const answer = JSON.parse(ran.stdout)
  if (answer === null || typeof answer !== 'object') throw new Error('its answer is not understood')
  return answer
}

const tell = ($: EngineInterface, type: 'user' | 'system', text: string) =>
  $.session.append({ message: { type, content: [{ type: 'text', text }] } })

const pin = async ($: EngineInterface, text: string) => {
  const options = { stdin: text, cwd: await $.session.cwd(), timeoutMs: SLOW_MS }
  const ran = await $.process.run([`${$.plugin.root}/launch`, 'pin', '-'], options)
  return (ran.exitCode === 0 ? ran.stdout : ran.stderr).trim()
}

const choose = async ($: EngineInterface, way: Way) => {
  const now = await memtui<{ way: Way }>($, 'choose', { way }).catch(error => ({ way: '' as Way, error }))
  if ('error' in now) $.ui.toast(oneLine(String(now.error), 100))
  else await update($, loss, last => last && { ...last, way: now.way })
}

export const register: Register = on => {
  let number = 0
  let hasFailed = false
  let outbox = ''
  let askedAt = ''

  on('session.start', async ($, e, next) => {
    await $.command.register({ name: 'lost', description: 'What the last compaction left out, to hand it over' })
    await $.command.register({ name: 'pin', description: 'Pin a line that no compaction may lose' })
    // Told at once, not waited for: the hooks leave the notes to this one.
    memtui<Start>($, 'start').then(answer => (outbox = answer.outbox), () => undefined)
    return next(e)
  }).catch(($, e, next) => next(e))

  on('session.compact', async ($, e, next) => {
    if (e.agentId !== undefined || e.trigger === 'precompute') return next(e)
    const failed = async (error: unknown) => {
      if (hasFailed) return // said once
      hasFailed = true
      const why = oneLine(String(error instanceof Error ? error.message : error), 160)
      await tell($, 'system', `memtui: the summary was not compared (${why}); \`memtui doctor\` says more`)
    }
    let way: Way = ''
    let asked: object | undefined
    try {
      const before = await memtui<Start>($, 'before')
      outbox = before.outbox
      way = before.way
      if (before.prompt) {
        const late = new Promise<null>(resolve => void $.clock.after(MODEL_MS, () => resolve(null)))
        const reply = $.model.fork({ prompt: before.prompt }).catch(error => ({ reason: String(error) }))
        asked = { way, keys: before.keys, reply: await Promise.race([reply, late]) }
      }
    } catch (error) {
      await failed(error)
      return next(e) // the hooks hand the note over with the next prompt
    }
    const result = await next(e)
    if (result.skip !== undefined) return result
    try {
      const [summary, ...kept] = result.messages.map(message => message.text)
      if (way === 'small') {
        const { prompt, keys } = await memtui<Ask>($, 'ask', { summary, kept })
        const question = { model: 'haiku', prompt, maxTokens: 400, timeoutMs: MODEL_MS }
        asked = { way, keys, reply: await $.model.complete(question).catch(error => ({ reason: String(error) })) }
      }
      const answer = await memtui<Note>($, 'note', { summary, kept, asked })
      if (typeof answer.line !== 'string' || !Array.isArray(answer.rows)) throw new Error('its answer is not understood')
      if (answer.note) await tell($, 'user', answer.note)
      if (answer.rows.length) await tell($, 'system', answer.line)
      number += 1
      await update($, loss, () => ({ ...answer, number, turns: 0, hidden: false }))
    } catch (error) {
      await failed(error)
    }
    return result
  }).catch(($, e, next) => next(e))

  // What was handed over in memtui's own window goes with this turn's next request, or by a hook with the next
  // prompt. While nothing waits, nothing is asked.
  on('turn.step', async function* ($, e, next) {
    const step = yield* next(e)
    if (e.agentId !== undefined || !step.toolUses.length || !outbox || askedAt === e.turnId) return step
    if (await $.fs.exists(outbox).catch(() => false)) {
      const { text } = await memtui<{ text: string }>($, 'waiting', {}, QUICK_MS).catch(() => ({ text: '' }))
      if (text) await tell($, 'user', text)
      else askedAt = e.turnId
    }
    return step
  }).catch(async function* ($, e, next) {
    return yield* next(e)
  })

  on('turn.complete', async ($, e, next) => {
    await update($, loss, last => last && { ...last, turns: last.turns + 1 })
    return next(e)
  }).catch(($, e, next) => next(e))

  on('command.run', { command: 'lost' }, async $ => {
    const last = await read($, loss)
    if (last === null) return { text: 'No compaction in this run of Claude Code yet.' }
    await $.ui.open({ id: PANE, title: `Compaction ${last.number}: left out` })
    const rows = last.rows.slice(0, SHOWN).map(row => `${row.handed_over ? '↺' : '✗'} ${row.text}${row.line ? ` (L${row.line})` : ''}`)
    return { text: [last.line.replace('memtui: ', ''), ...rows].join('\n') }
  })

  on('command.run', { command: 'pin' }, async ($, e) => ({
    text: e.args.trim() ? await pin($, e.args.trim()) : 'What should never be lost? /pin TEXT',
  }))

  on('ui.render', { component: 'AbovePrompt' }, async ($, e, next) => {
    const last = await read($, loss)
    if (e.props.hasSurvey || last === null || last.hidden || last.turns > TURNS || !last.rows.length) return next(e)
    const { Box, Button, Text } = $.ui.resolve(e)
    const handed = last.rows.filter(row => row.handed_over).length
    return (
      <Box flexDirection="column">
        <Box>
          <Text dimColor>
            compaction {last.number} · {last.rows.length} {last.rows.length === 1 ? 'line' : 'lines'} left out · {handed} handed over{' '}
          </Text>
          <Button key="show" label="show" onPress={() => void $.ui.open({ id: PANE, title: `Compaction ${last.number}: left out` })} />
          <Button key="hide" label="hide" onPress={() => update($, loss, now => now && { ...now, hidden: true })} />
        </Box>
        {last.way === '' && (
          <Box flexWrap="wrap">
            <Text dimColor>let a model choose what goes back? </Text>
            {WAYS.map(([way, key, label]) => (
              <Button key={way} hotkey={key} label={label} onPress={() => choose($, way)} />
            ))}
          </Box>
        )}
      </Box>
    )
  }).catch(($, e, next) => next(e))

  on('ui.render', { component: 'Pane', requestId: PANE }, async ($, e) => {
    const { Box, Button, Text } = $.ui.resolve(e)
    const last = await read($, loss)
    const width = Math.max(20, e.props.bodyColumns - 4)
    if (last === null) return <Text dimColor>No compaction yet.</Text>
    const handOver = async (n: number) => {
      const row = last.rows.find(one => one.n === n)
      if (row === undefined || row.handed_over) return
      await tell($, 'user', `Left out of the summary, handed over by the person: ${row.text}${row.line ? ` (L${row.line})` : ''}`)
      await update($, loss, now => now && { ...now, rows: now.rows.map(one => (one.n === n ? { ...one, handed_over: true } : one)) })
    }
    return (
      <Box flexDirection="column">
        {last.rows.slice(0, SHOWN).map(row => (
          <Box flexDirection="column">
            <Text dimColor={row.handed_over}>
              {row.handed_over ? '↺' : '✗'} {oneLine(row.text, 3 * width)}
            </Text>
            <Box>
              <Text dimColor>{row.line ? `  L${row.line} ` : '  '}</Text>
              {!row.handed_over && <Button key={`hand-${row.n}`} label="hand over" onPress={() => handOver(row.n)} />}
              <Button key={`pin-${row.n}`} label="pin" onPress={async () => $.ui.toast(oneLine(await pin($, row.text), 100))} />
            </Box>
          </Box>
        ))}
        {last.rows.length > SHOWN && <Text dimColor>… {last.rows.length - SHOWN} more: memtui lost</Text>}
        <Box flexWrap="wrap">
          <Text dimColor>chosen by </Text>
          {WAYS.map(([way, key]) => (
            <Button key={`by-${way}`} hotkey={key} label={way} dimColor={(last.way || 'no') !== way} onPress={() => choose($, way)} />
          ))}
        </Box>
      </Box>
    )
  })
}
