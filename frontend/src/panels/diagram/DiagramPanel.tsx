import { PencilRuler, Table2, Waypoints } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import type { Compilation, Query } from '../../api/types'
import { reveal } from '../../app/editor-bridge'
import { NotCompiled } from '../../app/NoQuery'
import { useSelectedQuery } from '../../app/selection'
import { useShownAnswer } from '../../app/shown-compilation'
import { setView, useView } from '../../app/url-state'
import { lensText } from '../../logic/lens'
import { schemaDiagram, tablesOfSteps } from '../../logic/schema-diagram'
import type { SchemaForm } from '../../logic/schema-form'
import type { TextRange } from '../../logic/shapes'
import { Button } from '../../ui/Button'
import { EmptyState } from '../../ui/EmptyState'
import { Switch } from '../../ui/Switch'
import { Spacer, Toolbar } from '../../ui/Table'
import { UnboundedFindings } from '../plan/UnboundedFindings'
import { ChangeSchema } from './ChangeSchema'
import { DiagramTable } from './DiagramTable'
import styles from './diagram.module.css'
import { FlowDiagram } from './FlowDiagram'
import { Steps } from './Steps'

/** The schema as boxes and links, or as a table, with the steps of the current query over it. */
export default function DiagramPanel() {
  const { compilation, error } = useShownAnswer()
  const [known, setKnown] = useState<Partial<SchemaForm> | null>(null)
  if (!compilation) return <NotCompiled error={error} />
  return (
    <>
      {compilation.tables.length === 0 ? (
        <NoTables button={<ChangeButton label="Add a table" onClick={() => setKnown({ kind: 'add-table' })} />} />
      ) : (
        <SchemaDiagram compilation={compilation} onChange={setKnown} />
      )}
      {known ? <ChangeSchema tables={compilation.tables} known={known} onClose={() => setKnown(null)} /> : null}
    </>
  )
}

function NoTables({ button }: { button: ReactNode }) {
  return (
    <EmptyState icon={<Waypoints size={22} aria-hidden />} title="No tables yet" actions={button}>
      Write CREATE TABLE in a schema file, or add a table here.
    </EmptyState>
  )
}

function ChangeButton({ label, onClick }: { label: string; onClick: () => void }) {
  return (
    <Button size="small" icon={<PencilRuler size={12} aria-hidden />} onClick={onClick}>
      {label}
    </Button>
  )
}

/** `query`: the whole schema with the query over it; `tables`: only the query's tables; `schema`: without the query. */
type Scope = 'query' | 'tables' | 'schema'

/** With more tables than this, the panel starts with only those of the query. */
const LARGE = 24

interface SchemaDiagramProps {
  compilation: Compilation
  onChange: (known: Partial<SchemaForm>) => void
}

function SchemaDiagram({ compilation, onChange }: SchemaDiagramProps) {
  const view = useView()
  const selected = useSelectedQuery()
  const [scope, setScope] = useState<Scope>(compilation.tables.length > LARGE ? 'tables' : 'query')
  const query = scope === 'schema' ? null : selected
  const diagram = useMemo(() => {
    const whole = schemaDiagram(compilation.tables, compilation.indexes, query?.accesses ?? [])
    return scope === 'tables' && whole.steps.length > 0 ? tablesOfSteps(whole) : whole
  }, [compilation, query, scope])
  const isTable = view.as === 'table'
  const open = (range: TextRange, isFocused: boolean) => reveal(range as Query['range'], isFocused)
  return (
    <div className={styles['panel']}>
      <Toolbar label="Diagram">
        <h2 className={styles['title']}>{query ? query.name : 'Schema'}</h2>
        {query ? <span className={styles['lens']}>{lensText(query)}</span> : null}
        <Spacer />
        <ChangeButton label="Change" onClick={() => onChange({})} />
        {selected ? (
          <Switch
            label="What is shown"
            value={scope}
            options={[
              { value: 'query', label: 'Whole' },
              { value: 'tables', label: 'Query only' },
              { value: 'schema', label: 'Schema only' },
            ]}
            onChange={setScope}
          />
        ) : null}
        <Switch
          label="View of the schema"
          value={isTable ? 'table' : 'graph'}
          options={[
            { value: 'graph', label: 'Graph', icon: <Waypoints size={12} aria-hidden /> },
            { value: 'table', label: 'Table', icon: <Table2 size={12} aria-hidden /> },
          ]}
          onChange={(value) => setView({ as: value === 'table' ? 'table' : undefined })}
        />
      </Toolbar>
      {query ? <Steps query={query} steps={diagram.steps} /> : null}
      {query ? <UnboundedFindings query={query} /> : null}
      <div className={styles['drawing']}>
        {isTable ? (
          <DiagramTable
            diagram={diagram}
            query={query?.name}
            onOpen={open}
            onStripes={(table) => onChange({ kind: 'set-stripes', table })}
          />
        ) : (
          <FlowDiagram diagram={diagram} subject={query?.name} onOpen={open} onChange={onChange} />
        )}
      </div>
    </div>
  )
}
