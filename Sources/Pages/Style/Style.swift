/// The look of every page: on wide screens, phones and paper, by day and by night. No fonts or pictures.
package enum Style {}
