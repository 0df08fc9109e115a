import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { answered, api } from '../../api/client'
import { applications } from '../../api/queries'
import { DEVELOPMENT, viewOf } from '../../logic/view'
import { Button } from '../../ui/Button'
import { Dialog, DialogActions } from '../../ui/Dialog'
import { SelectField, TextField } from '../../ui/Field'
import { Form } from '../../ui/Form'
import { ErrorNotice } from '../../ui/Notice'
import { setView } from '../url-state'

const TEMPLATES = [
  { id: '', name: 'Empty' },
  { id: 'scadr', name: 'SCADr: short thoughts of users who follow each other' },
  { id: 'tpcw', name: 'TPC-W: a bookshop with carts and orders' },
  { id: 'chat', name: 'Chat: rooms, members and messages' },
  { id: 'shop', name: 'Shop: products, carts, orders and reviews' },
]

/** The dialog that creates an application, empty or from a template with its data, and opens it. */
export function NewApplication({ onClose }: { onClose: () => void }) {
  const queryClient = useQueryClient()
  const [title, setTitle] = useState('')
  const [template, setTemplate] = useState('')
  const create = useMutation({
    mutationFn: () =>
      answered(api.POST('/api/applications', { body: { title: title.trim(), template: template || null } })),
    onSuccess: ({ id }) => {
      void queryClient.invalidateQueries({ queryKey: applications.queryKey })
      onClose()
      setView(viewOf(id, DEVELOPMENT))
    },
  })
  return (
    <Dialog title="New application" onClose={onClose}>
      <Form onSubmit={() => create.mutate()}>
        <TextField label="Name" value={title} maxLength={100} onChange={(event) => setTitle(event.target.value)} />
        <SelectField label="Begin with" value={template} onChange={(event) => setTemplate(event.target.value)}>
          {TEMPLATES.map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
        </SelectField>
        {create.error ? <ErrorNotice error={create.error} /> : null}
        <DialogActions>
          <Button onClick={onClose}>Cancel</Button>
          <Button type="submit" look="primary" disabled={create.isPending || title.trim() === ''}>
            {create.isPending ? 'Making it…' : 'Make it'}
          </Button>
        </DialogActions>
      </Form>
    </Dialog>
  )
}
